import type { Check } from "../check.js";
import type { Exchange } from "../exchange.js";
import { must, mustBe, mustMatch, NotJudged, succeeded, TIME, told } from "../judge.js";

const isFile = ({ path, status }: Exchange) => path.endsWith("/file") && status === 200;
const isList = ({ method, path }: Exchange) => method === "GET" && /^\/(orders|shipments|labels)(\?|$)/.test(path);

/** Judges the answers that there are: these checks ask for nothing. */
function overAll(
  exchanges: readonly Exchange[],
  fits: (exchange: Exchange) => boolean,
  judge: (one: Exchange) => void,
) {
  const judged = exchanges.filter(fits);
  if (judged.length === 0) throw new NotJudged("no such answer was seen");
  for (const exchange of judged) judge(exchange);
}

function everyMember(value: unknown, visit: (name: string, member: unknown) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    visit(name, member);
    if (name !== "metadata") everyMember(member, visit);
  }
}

export const everyAnswerChecks: readonly Check[] = [
  {
    id: "answers.request-id",
    proves: [
      "Every response carries header `X-Request-Id`.",
      "| error.request_id | string | yes (equals the `X-Request-Id` of the response) |",
    ],
    async run({ exchanges }) {
      overAll(
        exchanges,
        () => true,
        (one) => {
          const id = one.answered.get("x-request-id");
          mustMatch(id, /./, `X-Request-Id where ${told(one)}`);
          if (one.status >= 400) mustBe(one.json?.error?.request_id, id, `error.request_id where ${told(one)}`);
        },
      );
    },
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
    async run({ exchanges }) {
      overAll(
        exchanges,
        ({ status }) => status >= 400,
        (one) => {
          mustMatch(one.answered.get("content-type"), /^application\/json\b/, `the Content-Type where ${told(one)}`);
          mustMatch(one.json?.error?.code, /./, `error.code where ${told(one)}`);
          mustMatch(one.json?.error?.message, /./, `error.message where ${told(one)}`);
        },
      );
    },
  },
  {
    id: "answers.envelope",
    proves: [
      "Successful JSON responses wrap the result in an object with key `data`; list responses add `next_cursor`.",
    ],
    async run({ exchanges }) {
      overAll(
        exchanges,
        (one) => succeeded(one) && one.status !== 204 && !isFile(one),
        (one) => {
          mustMatch(one.answered.get("content-type"), /^application\/json\b/, `the Content-Type where ${told(one)}`);
          must(one.json?.data !== undefined, `${told(one)} without \`data\``);
          if (isList(one)) must(one.json.next_cursor !== undefined, `${told(one)} without \`next_cursor\``);
        },
      );
    },
  },
  {
    id: "answers.times",
    proves: ["Timestamps are ISO 8601 in UTC."],
    async run({ exchanges }) {
      overAll(exchanges, succeeded, (one) => {
        everyMember(one.json, (name, member) => {
          if (/_at$/.test(name) && member !== null) mustMatch(member, TIME, `${name} where ${told(one)}`);
        });
      });
    },
  },
  {
    id: "answers.secrets",
    proves: ["The creation response includes `secret`, a string starting with `whsec_`; reads omit it."],
    async run({ exchanges }) {
      overAll(
        exchanges,
        ({ method }) => method === "GET",
        (one) => {
          must(!one.bytes.includes("whsec_"), `${told(one)} with a secret`);
        },
      );
    },
  },
  {
    id: "answers.ids",
    proves: ["IDs are opaque strings; no meaning may be derived from them."],
    async run({ exchanges }) {
      overAll(exchanges, succeeded, (one) => {
        everyMember(one.json, (name, member) => {
          if (name === "id") mustMatch(member, /./, `an id where ${told(one)}`);
        });
      });
    },
  },
  {
    id: "answers.known-status",
    proves: ["Every operation can return the error statuses listed under Errors."],
    async run({ exchanges }) {
      const known = [400, 401, 403, 404, 409, 413, 415, 422, 429, 503];
      overAll(
        exchanges,
        ({ status }) => status >= 300,
        (one) => {
          must(known.includes(one.status), `${told(one)}, which is a server error or not in the table`);
        },
      );
    },
  },
];
