import type { Fault } from "./fault.js";

export const admission: readonly Fault[] = [
  {
    breaks: "a key with a wrong checksum is refused without a look-up",
    file: "api/src/api-key.ts",
    original: "!match || key.slice(-CHECKSUM_LENGTH) !== checksum(key.slice(0, -CHECKSUM_LENGTH))",
    replacement: "!match",
    noticedBy: "api/src/api-key.test.ts",
  },
  {
    breaks: "the limit of requests per minute holds for requests at several gateways at once",
    file: "gateway/src/admission/admit.ts",
    original: "FOR UPDATE OF w) AS locked",
    replacement: ") AS locked",
    noticedBy: "gateway/src/admission/rate-window.test.ts",
  },
  {
    breaks: "a request sees only the idempotency keys of its own environment",
    file: "gateway/src/admission/admit.ts",
    original: "USING (account_id, environment, idempotency_key)",
    replacement: "USING (account_id, idempotency_key)",
    noticedBy: "gateway/src/admission/admit.test.ts",
  },
  {
    breaks: "a request that gives up waiting makes room for the next of its account",
    file: "kit/src/http/bulkhead.ts",
    original: "        startNext();\n        reject(",
    replacement: "        reject(",
    noticedBy: "kit/src/http/bulkhead.test.ts",
  },
  {
    breaks: "a request without a key whose turn has not come after ten seconds is refused",
    file: "gateway/src/admission/token-bucket.ts",
    original: "return isDue;",
    replacement: "return true;",
    noticedBy: "gateway/src/admission/pace.test.ts",
  },
  {
    breaks: "behind trusted proxies, a client cannot choose its own IP address",
    file: "kit/src/http/client-address.ts",
    original: ".at(-count)",
    replacement: ".at(0)",
    noticedBy: "kit/src/http/client-address.test.ts",
  },
  {
    breaks: "an answered request with a malformed rest gets no second response",
    file: "kit/src/http/server/refuse-connection.ts",
    original: "if (latest.writableFinished) return void socket.end();",
    replacement: "if (latest.writableFinished) return void refuseNow();",
    noticedBy: "kit/src/http/server/refuse-connection.test.ts",
  },
  {
    breaks: "an account keeps its only response, even if it is larger than the account's limit",
    file: "kit/src/http/server/unread-bytes.ts",
    original: "account.responses.size > 1",
    replacement: "account.responses.size > 0",
    noticedBy: "kit/src/http/server/unread-bytes.test.ts",
  },
  {
    breaks: "a member is found only in their own account",
    file: "services/portal/src/members/manage-members.ts",
    original: "{ accountId, ...named };",
    replacement: "{ ...named };",
    noticedBy: "services/portal/src/members/manage-members.test.ts",
  },
  {
    breaks: "changes of subscriptions are acknowledged only once the audit log has them",
    file: "services/portal/src/feed/follow-feed.ts",
    original: "await insertEntries({ db }, await toEntries(page.changes));",
    replacement: "await insertEntries({ db }, await toEntries(page.changes)).catch(() => {});",
    noticedBy: "services/portal/src/audit/log-subscription-changes.test.ts",
  },
];
