import type { Check } from "../check.js";
import { must, mustBe, mustMatch, succeeded, told } from "../judge.js";

const CODES: Readonly<Record<number, string>> = {
  400: "invalid_json",
  401: "unauthorized",
  403: "missing_scope",
  404: "not_found",
  413: "payload_too_large",
  415: "unsupported_media_type",
  422: "invalid_request",
  429: "rate_limited",
};
const CREATED = ["/orders", "/shipments", "/labels", "/webhooks"];

/** Judges all answers by the contract, and asks for nothing. */
export const answersOfContract: readonly Check[] = [
  {
    id: "contract.codes",
    proves: [
      "| `invalid_json` | 400 | body is not JSON |",
      "| `unauthorized` | 401 | no key, or a key that is not valid |",
      "| `missing_scope` | 403 | the message names the scope |",
      "| `not_found` | 404 | unknown route; a missing or foreign resource, named in the path or in the body (`shipment_id`, `order_id`) |",
      "| `payload_too_large` | 413 | |",
      "| `unsupported_media_type` | 415 | |",
    ],
    async run({ exchanges }) {
      for (const one of exchanges) {
        const code = CODES[one.status];
        if (code !== undefined) must(one.json?.error?.code === code, `${told(one)}, not ${code}`);
      }
    },
  },
  {
    id: "contract.statuses",
    proves: [
      "Success statuses: `201` for `POST /orders`, `/shipments`, `/labels`, `/webhooks`; `200` for everything else, `DELETE` included,",
    ],
    async run({ exchanges }) {
      for (const one of exchanges.filter(succeeded)) {
        mustBe(
          one.status,
          one.method === "POST" && CREATED.includes(one.path) ? 201 : 200,
          `the status where ${told(one)}`,
        );
      }
    },
  },
  {
    id: "contract.error-fields",
    proves: ["every failing field named with its path and rule in `message`, and listed in `error.fields`"],
    async run({ exchanges }) {
      for (const one of exchanges.filter(({ status }) => status >= 400)) {
        const { fields, message } = one.json?.error ?? {};
        must(Array.isArray(fields) === (one.status === 422), `${told(one)} with fields ${JSON.stringify(fields)}`);
        for (const { path } of fields ?? [])
          must(message.includes(path), `${told(one)} without ${path} in its message`);
      }
    },
  },
  {
    id: "contract.rate-limit-headers",
    proves: [
      'on every authenticated answer `RateLimit-Policy: "default";q=120;w=60` and `RateLimit: "default";r=…;t=…`',
      "`t` is 60 at most.",
    ],
    async run({ exchanges }) {
      for (const one of exchanges.filter(succeeded)) {
        mustMatch(
          one.answered.get("ratelimit-policy"),
          /^"default";q=\d+;w=60$/,
          `RateLimit-Policy where ${told(one)}`,
        );
        mustMatch(one.answered.get("ratelimit"), /^"default";r=\d+;t=([1-5]?\d|60)$/, `RateLimit where ${told(one)}`);
      }
    },
  },
];
