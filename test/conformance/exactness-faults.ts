import { answeringAll, type Breaking, editing, type Fault, sending } from "./breaking-proxy.js";

/** Parses JSON numbers as doubles, as `JSON.parse` does, and sends the result on. */
const readingDoubles = sending("POST /orders", () => {});

/** Refuses the first retry after an error. */
function refusingAgain(): Breaking {
  let refusal: Buffer | undefined;
  return {
    answered(answered) {
      if (answered.status === 429) refusal = answered.body;
      else if (refusal) Object.assign(answered, { status: 429, body: refusal });
    },
  };
}

/** Applies a change only to concurrent requests with the same idempotency key. */
function meetingUnder(change: Breaking): () => Breaking {
  return () => {
    const open = new Map<string, Set<object>>();
    const met = new Set<object>();
    return {
      sent(sent) {
        const key = sent.headers["idempotency-key"];
        if (key === undefined) return;
        const others = open.get(key) ?? new Set();
        if (others.size > 0) for (const one of [sent, ...others]) met.add(one);
        open.set(key, others.add(sent));
        if (met.has(sent)) change.sent?.(sent);
      },
      answered(answered, sent) {
        for (const others of open.values()) others.delete(sent);
        if (met.has(sent)) change.answered?.(answered, sent);
      },
    };
  };
}

const conflict = { error: { code: "idempotency_conflict", message: "The key is in use." } };

/** Faults of bytes, digits and times. */
export const exactnessFaults: readonly Fault[] = [
  {
    what: "what stands before a URL is dropped",
    breaks: "webhooks.url",
    begin: sending("POST /webhooks", (body) => {
      body.url = body.url?.trim?.();
    }),
  },
  {
    what: "a text is trimmed",
    breaks: "contract.text",
    begin: sending("POST /orders", (body) => {
      body.reference = body.reference?.trim?.();
    }),
  },
  {
    what: "a text is read in its composed form",
    breaks: "contract.text",
    begin: editing("GET /orders/{id}", ({ to }) => {
      to.city = to.city.normalize("NFC");
    }),
  },
  {
    what: "invisible characters are taken for a name",
    breaks: "contract.fields",
    begin: sending("POST /orders", ({ to }) => {
      if (to?.name) to.name = to.name.replace("\u200b", "-");
    }),
  },
  { what: "a number is rounded", breaks: "contract.numbers", begin: readingDoubles },
  { what: "two numbers are taken for one", breaks: "idempotency.numbers", begin: readingDoubles },
  { what: "a client that waited is refused again", breaks: "limits.retry-after", begin: refusingAgain },
  {
    what: "the oldest request leaves after 61 seconds",
    breaks: "contract.rate-limit-headers",
    beside: ["account.get"],
    begin: answeringAll(({ headers }) => {
      if (headers.ratelimit) headers.ratelimit = headers.ratelimit.replace(/t=\d+/, "t=61");
    }),
  },
  {
    what: "a key is taken while its request is under way",
    breaks: "contract.open-key",
    begin: meetingUnder({
      answered(answered) {
        if (answered.status < 300)
          Object.assign(answered, { status: 409, body: Buffer.from(JSON.stringify(conflict)) });
      },
    }),
  },
  {
    what: "a key is looked at before it is taken",
    breaks: "contract.open-key",
    begin: meetingUnder({
      sent({ headers, body }) {
        if (body.includes('"other"')) headers["idempotency-key"] += "-other";
      },
    }),
  },
];
