import { isDeepStrictEqual } from "node:util";
import type { Check } from "../check.js";
import { given, must, mustBe, mustMatch, mustRefuse, mustSucceed, NotApplicable, Skipped } from "../judge.js";
import { webhookListCheck } from "./lists.js";

const NOT_PUBLIC = [
  "http://example.com/",
  "https://example.com:8443/",
  "https://user:password@example.com/",
  "https://example.com/#fragment",
  "https://localhost/",
  "https://192.0.2.1/",
  "https://[2001:db8::1]/",
  "\ufeffhttps://example.com/",
];
// The URLs among these that a platform with WEBHOOK_ALLOW_PRIVATE_TARGETS accepts.
const FOR_TRIALS = ["http://example.com/", "https://example.com:8443/", "https://localhost/"];
const ACTIVE_LIMIT = 10;

export const subscriptionChecks: readonly Check[] = [
  {
    id: "webhooks.create",
    proves: [
      "| POST | /webhooks | webhooks:write | create a subscription |",
      "Response includes `secret` (starts with `whsec_`).",
      "The creation response includes `secret`, a string starting with `whsec_`; reads omit it.",
      "Body: `{url: string, events: [string...]}`.",
    ],
    async run({ fixtures }) {
      const { id, secret } = mustSucceed(await fixtures.subscription());
      mustMatch(id, /./, "the subscription's id");
      must(typeof secret === "string" && /^whsec_./.test(secret), "the secret does not start with whsec_");
    },
  },
  {
    id: "webhooks.get",
    proves: [
      "| GET | /webhooks/{id} | webhooks:read | retrieve a subscription |",
      "The creation response includes `secret`, a string starting with `whsec_`; reads omit it.",
      "the `data` envelope and the omission of `secret`.",
    ],
    async run({ api, fixtures }) {
      const { id } = given(await fixtures.subscription());
      const answer = await api.get(`/webhooks/${id}`);
      mustBe(mustSucceed(answer, 200).id, id, "the id of the subscription read");
      must(!answer.bytes.includes("whsec_"), "GET /webhooks/{id} shows the secret");
    },
  },
  webhookListCheck,
  {
    id: "webhooks.replay",
    proves: [
      "Replaying the identical request with the original key returns the original response including the secret.",
    ],
    async run({ api, fixtures, keyOf }) {
      const original = await fixtures.subscription();
      const again = await api.post("/webhooks", original.body ?? "", keyOf("subscription"));
      const isSame = mustSucceed(again).secret === given(original).secret;
      must(isSame, "the replay does not have the secret of the first response");
      mustBe(again.status, original.status, "the status of the replay");
    },
  },
  {
    id: "webhooks.url",
    proves: [
      "`url` must use HTTPS on port 443 with a public hostname.",
      "URLs with credentials, fragments, localhost or IP-literal hosts are rejected.",
      "Input: `url` (string, see rules under Events) and `events` (array of event type strings).",
    ],
    async run({ api, given: options, run, isLocal }) {
      if (options.has("webhook") && !isLocal) {
        throw new Skipped("a platform that accepts --webhook-url may be configured to accept such URLs");
      }
      const accepted: string[] = [];
      for (const url of NOT_PUBLIC) {
        const answer = await api.post("/webhooks", { url, events: ["label.voided"] });
        if (answer.status >= 400) mustRefuse(answer, [400, 409, 422]);
        else {
          accepted.push(url);
          await api.delete(`/webhooks/${answer.json?.data?.id}`);
        }
      }
      if (isLocal && isDeepStrictEqual(accepted, FOR_TRIALS)) {
        throw new NotApplicable("the server accepts http, any port and localhost (WEBHOOK_ALLOW_PRIVATE_TARGETS)");
      }
      must(accepted.length === 0, `POST /webhooks accepts ${accepted.join(" and ")}`);
      // Schemes are case-insensitive (RFC 3986, 3.1).
      const url = `HTTPS://example.com/${run}`;
      const answer = await api.post("/webhooks", { url, events: ["label.voided"] });
      // 409: the account already has the maximum number of subscriptions.
      if (answer.status !== 409) await api.delete(`/webhooks/${mustSucceed(answer).id}`);
    },
  },
  {
    id: "webhooks.fields",
    proves: ["Body: `{url: string, events: [string...]}`.", "| 422 | invalid fields (named in the error) |"],
    run: async ({ api }) => mustRefuse(await api.post("/webhooks", { url: 5, events: "label.voided" }), 422),
  },
];

/** Disables the subscription, so it runs after the other checks of subscriptions. */
export const disableChecks: readonly Check[] = [
  {
    id: "webhooks.delete",
    proves: [
      "| DELETE | /webhooks/{id} | webhooks:write | disable a subscription |",
      "Webhook subscriptions: `DELETE /webhooks/{id}` disables the subscription",
      "List and retrieve need `webhooks:read`; delete needs `webhooks:write` and `Idempotency-Key`, with no body.",
      "| active webhook subscriptions | 10 per environment |",
    ],
    async run({ api, fixtures, keyOf }) {
      const first = await fixtures.disabled();
      must(first.status === 204 || mustSucceed(first) !== undefined, "no `data`");
      const again = await api.delete(first.path, keyOf("disable"));
      mustBe(again.status, first.status, "the status of the replayed DELETE");
      mustBe(again.responseHeaders.get("idempotency-replayed"), "true", "Idempotency-Replayed of the repeated DELETE");
    },
  },
];

export const subscriptionLimitCheck: Check = {
  id: "webhooks.limit",
  proves: ["Up to 10 active subscriptions per environment.", "| active webhook subscriptions | 10 per environment |"],
  needs: ["invasive"],
  async run({ api, run }) {
    const body = (n: number) => ({ url: `https://example.com/${run}/${n}`, events: ["label.voided"] });
    const made: string[] = [];
    try {
      for (let n = 0; n <= ACTIVE_LIMIT; n++) {
        const answer = await api.post("/webhooks", body(n));
        // The account may have had subscriptions before.
        if (answer.status >= 400) return mustRefuse(answer, [409, 422]);
        made.push(mustSucceed(answer).id);
      }
      must(false, `${made.length} subscriptions are active`);
    } finally {
      for (const id of made) await api.delete(`/webhooks/${id}`);
    }
  },
};
