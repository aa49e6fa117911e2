import type { Check } from "../check.js";
import type { Exchange } from "../exchange.js";
import { describeAnswer, must, mustBe, mustMatch, NotJudged, succeeded, TIME } from "../judge.js";

const isRefusal = ({ status }: Exchange) => status >= 400;
const isFile = ({ path, status }: Exchange) => path.endsWith("/file") && status === 200;
const isList = ({ method, path }: Exchange) => method === "GET" && /^\/(orders|shipments|labels)(\?|$)/.test(path);

/** Judges all responses so far that the predicate selects. Sends no request. */
function overAll(fits: (exchange: Exchange) => boolean, judge: (one: Exchange) => void): Check["run"] {
  return async ({ exchanges }) => {
    // A HEAD has no body to judge.
    const judged = exchanges.filter((one) => one.method !== "HEAD" && fits(one));
    if (judged.length === 0) throw new NotJudged("no such answer was seen");
    for (const exchange of judged) judge(exchange);
  };
}

function mustMatchHeader(one: Exchange, name: string, form: RegExp): void {
  mustMatch(one.responseHeaders.get(name), form, `${name} where ${describeAnswer(one)}`);
}

function everyMember(value: unknown, visit: (name: string, member: unknown) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    visit(name, member);
    if (name !== "metadata") everyMember(member, visit);
  }
}

const KNOWN = [400, 401, 403, 404, 409, 413, 415, 422, 429, 503];

export const everyAnswerChecks: readonly Check[] = [
  {
    id: "answers.request-id",
    proves: [
      "Every response carries header `X-Request-Id`.",
      "| error.request_id | string | yes (equals the `X-Request-Id` of the response) |",
    ],
    run: overAll(
      () => true,
      (one) => {
        mustMatchHeader(one, "X-Request-Id", /./);
        const id = one.responseHeaders.get("x-request-id");
        if (one.status >= 400) mustBe(one.json?.error?.request_id, id, `error.request_id where ${describeAnswer(one)}`);
      },
    ),
  },
  {
    id: "answers.error-body",
    proves: [
      "Failures use the `error` object (see Errors).",
      "Body: `{error: {code, message, request_id}}`.",
      "| error.code | string | yes |",
      "| error.message | string | yes |",
      "Errors are JSON.",
    ],
    run: overAll(isRefusal, (one) => {
      mustMatchHeader(one, "Content-Type", /^application\/json\b/);
      mustMatch(one.json?.error?.code, /./, `error.code where ${describeAnswer(one)}`);
      mustMatch(one.json?.error?.message, /./, `error.message where ${describeAnswer(one)}`);
    }),
  },
  {
    id: "answers.envelope",
    proves: [
      "Successful JSON responses wrap the result in an object with key `data`; list responses add `next_cursor`.",
    ],
    run: overAll(
      (one) => succeeded(one) && one.status !== 204 && !isFile(one),
      (one) => {
        mustMatchHeader(one, "Content-Type", /^application\/json\b/);
        must(one.json?.data !== undefined, `${describeAnswer(one)} without \`data\``);
        if (isList(one)) must(one.json.next_cursor !== undefined, `${describeAnswer(one)} without \`next_cursor\``);
      },
    ),
  },
  {
    id: "answers.times",
    proves: ["Timestamps are ISO 8601 in UTC."],
    run: overAll(succeeded, (one) =>
      everyMember(one.json, (name, member) => {
        if (/_at$/.test(name) && member !== null) mustMatch(member, TIME, `${name} where ${describeAnswer(one)}`);
      }),
    ),
  },
  {
    id: "answers.secrets",
    proves: ["The creation response includes `secret`, a string starting with `whsec_`; reads omit it."],
    run: overAll(
      ({ method }) => method === "GET",
      (one) => must(!one.bytes.includes("whsec_"), `${describeAnswer(one)} with a secret`),
    ),
  },
  {
    id: "answers.ids",
    proves: ["IDs are opaque strings; no meaning may be derived from them."],
    run: overAll(succeeded, (one) =>
      everyMember(one.json, (name, member) => {
        if (name === "id") mustMatch(member, /./, `an id where ${describeAnswer(one)}`);
      }),
    ),
  },
  {
    id: "answers.known-status",
    proves: ["Every operation can return the error statuses listed under Errors."],
    run: overAll(
      // Only a request with a condition gets a 304.
      ({ status }) => status >= 300 && status !== 304,
      (one) => must(KNOWN.includes(one.status), `${describeAnswer(one)}, which is a server error or not in the table`),
    ),
  },
];

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

/** Judges all responses so far by the contract. Sends no request. */
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
    run: overAll(
      ({ status }) => status in CODES,
      (one) => must(one.json?.error?.code === CODES[one.status], `${describeAnswer(one)}, not ${CODES[one.status]}`),
    ),
  },
  {
    id: "contract.statuses",
    proves: [
      "Success statuses: `201` for `POST /orders`, `/shipments`, `/labels`, `/webhooks`; `200` for everything else, `DELETE` included,",
    ],
    run: overAll(succeeded, (one) => {
      const expected = one.method === "POST" && CREATED.includes(one.path) ? 201 : 200;
      mustBe(one.status, expected, `the status where ${describeAnswer(one)}`);
    }),
  },
  {
    id: "contract.error-fields",
    proves: ["every failing field named with its path and rule in `message`, and listed in `error.fields`"],
    run: overAll(isRefusal, (one) => {
      const { fields, message } = one.json?.error ?? {};
      const answer = describeAnswer(one);
      must(Array.isArray(fields) === (one.status === 422), `${answer} with fields ${JSON.stringify(fields)}`);
      for (const { path } of fields ?? []) must(message.includes(path), `${answer} without ${path} in its message`);
    }),
  },
  {
    id: "contract.rate-limit-headers",
    proves: [
      'on every authenticated answer `RateLimit-Policy: "default";q=120;w=60` and `RateLimit: "default";r=…;t=…`',
      "`t` is 60 at most.",
    ],
    run: overAll(succeeded, (one) => {
      mustMatchHeader(one, "RateLimit-Policy", /^"default";q=\d+;w=60$/);
      mustMatchHeader(one, "RateLimit", /^"default";r=\d+;t=([1-5]?\d|60)$/);
    }),
  },
];
