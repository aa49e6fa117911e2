import { createHash } from "node:crypto";
import {
  answering,
  answeringAll,
  type Breaking,
  dropHeader,
  editing,
  type Fault,
  isOperation,
  permitting,
  sendingAll,
  setting,
  turning,
} from "./breaking-proxy.js";

/** Keys that the proxy replaces others with. */
export interface Holders {
  main: string;
}

const short = (text: string | Buffer) => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** The API key is part of every idempotency key. */
const keyedByCredential = sendingAll(({ headers }) => {
  if (headers["idempotency-key"]) headers["idempotency-key"] += short(headers.authorization ?? "");
});

/** The bytes of a body are part of its idempotency key. */
const keyedByBody = sendingAll(({ headers, body }) => {
  if (headers["idempotency-key"]) headers["idempotency-key"] += short(body);
});

/** Any response uses up the idempotency key. */
function reservedByFailure(): Breaking {
  const taken = new Set<string>();
  return {
    answered(answered, { headers }) {
      const key = headers["idempotency-key"] ?? "";
      const wasTaken = taken.has(key);
      if (answered.status === 422) taken.add(key);
      if (!wasTaken || answered.status >= 400) return;
      const error = { code: "idempotency_conflict", message: "Used.", request_id: answered.headers["x-request-id"] };
      Object.assign(answered, { status: 409, body: Buffer.from(JSON.stringify({ error })) });
    },
  };
}

/** Faults of keys, other accounts, idempotency and subscriptions. */
export const accessFaults = (holders: Holders): readonly Fault[] => [
  {
    what: "an account says nothing",
    breaks: "account.get",
    begin: answering("GET /account", (answered) => {
      answered.body = Buffer.from('{"data":{}}');
    }),
  },
  {
    what: "no key is needed to list orders",
    breaks: "keys.required",
    begin: sendingAll((sent) => {
      if (sent.path === "/orders" && sent.method === "GET") sent.headers.authorization ??= `Bearer ${holders.main}`;
    }),
  },
  { what: "a bad key is answered with 403", breaks: "keys.invalid", begin: turning(401, 403) },
  {
    what: "anybody who knows a label may download it",
    breaks: "keys.download",
    begin: sendingAll((sent) => {
      if (sent.path.endsWith("/file")) sent.headers.authorization ??= `Bearer ${holders.main}`;
    }),
  },
  {
    what: "a read needs no scope",
    breaks: "keys.scope",
    begin: sendingAll((sent) => {
      if (sent.path.startsWith("/tracking/")) sent.headers.authorization = `Bearer ${holders.main}`;
    }),
  },
  { what: "idempotency keys belong to a credential", breaks: "keys.another-credential", begin: keyedByCredential },
  {
    what: "a foreign id is answered with 403",
    breaks: "other-accounts.not-found",
    begin: turning(404, 403),
  },
  {
    what: "another account sees the shipments",
    breaks: "other-accounts.lists",
    begin: sendingAll((sent) => {
      if (isOperation("GET /shipments", sent)) sent.headers.authorization = `Bearer ${holders.main}`;
    }),
  },
  {
    what: "a live key reads the sandbox",
    breaks: "live.separate",
    begin: sendingAll(({ headers }) => {
      if (headers.authorization?.includes("service_live_")) headers.authorization = `Bearer ${holders.main}`;
    }),
  },
  {
    what: "idempotency keys belong to everyone",
    breaks: "other-accounts.idempotency",
    begin: sendingAll((sent) => {
      if (sent.method === "POST") sent.headers.authorization = `Bearer ${holders.main}`;
    }),
  },
  {
    what: "POST /rates needs no idempotency key",
    breaks: "idempotency.required",
    begin: sendingAll((sent) => {
      if (isOperation("POST /rates", sent)) sent.headers["idempotency-key"] ??= "made-up";
    }),
  },
  {
    what: "an idempotency key of 129 characters is cut",
    breaks: "idempotency.length",
    begin: sendingAll(({ headers }) => {
      if (headers["idempotency-key"]) headers["idempotency-key"] = headers["idempotency-key"].slice(0, 128);
    }),
  },
  {
    what: "a replay lacks its header",
    breaks: "idempotency.replay",
    begin: dropHeader("idempotency-replayed", "POST /orders"),
  },
  {
    what: "a replayed DELETE lacks its header",
    breaks: "webhooks.delete",
    begin: dropHeader("idempotency-replayed", "DELETE /webhooks/{id}"),
  },
  {
    what: "a replay has another status",
    breaks: "idempotency.replay",
    begin: answering("POST /orders", (answered) => {
      if (answered.headers["idempotency-replayed"]) answered.status = 200;
    }),
  },
  { what: "the order of members matters", breaks: "idempotency.member-order", begin: keyedByBody },
  { what: "a used key with another body makes another order", breaks: "idempotency.conflict", begin: keyedByBody },
  { what: "a failed request reserves its key", breaks: "idempotency.failed", begin: reservedByFailure },
  setting("webhooks.get", "reads of a subscription show the secret", "GET /webhooks/{id}", { secret: "whsec_shown" }),
  {
    what: "the list of subscriptions shows secrets",
    breaks: "webhooks.list",
    begin: editing("GET /webhooks", (webhooks) => {
      for (const webhook of webhooks) webhook.secret = "whsec_shown";
    }),
  },
  {
    what: "a secret has no prefix",
    breaks: "webhooks.create",
    begin: editing("POST /webhooks", (webhook) => {
      webhook.secret = webhook.secret.slice("whsec_".length);
    }),
  },
  {
    what: "a replay keeps the secret back",
    breaks: "webhooks.replay",
    begin: answering("POST /webhooks", (answered) => {
      if (answered.headers["idempotency-replayed"] === undefined) return;
      answered.body = Buffer.from(answered.body.toString().replace(/"secret":"[^"]*",?/, ""));
    }),
  },
  { what: "any URL may be subscribed", breaks: "webhooks.url", begin: permitting(422, "POST /webhooks") },
  {
    what: "a scheme in capitals is another one",
    breaks: "webhooks.url",
    begin: answeringAll((answered, { body }) => {
      if (body.includes('"HTTPS:')) answered.status = 422;
    }),
  },
  { what: "a subscription to nothing is made", breaks: "webhooks.fields", begin: permitting(422, "POST /webhooks") },
  { what: "an eleventh subscription is active", breaks: "webhooks.limit", begin: permitting(409, "POST /webhooks") },
];
