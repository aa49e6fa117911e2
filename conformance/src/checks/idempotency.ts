import type { Check } from "../check.js";
import { given, must, mustBe, mustRefuse, mustSucceed, succeeded } from "../judge.js";
import { requestFor, WRITES } from "../operations.js";
import { existingNames } from "./accounts-and-keys.js";

const REPLAYED = "idempotency-replayed";

/** The same JSON with the members of each object in reverse order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reordered(member)]);
  return Object.fromEntries(members.reverse());
}

export const idempotencyChecks: readonly Check[] = [
  {
    id: "idempotency.required",
    proves: [
      "All POST and DELETE operations require header `Idempotency-Key` (string, length 1 to 128), including `POST /rates`.",
      "Header: `Idempotency-Key`.",
    ],
    async run(context) {
      const names = await existingNames(context);
      for (const operation of WRITES) {
        const answer = await context.api.send(requestFor(operation, names));
        must(answer.status >= 400, `${operation} does not require an Idempotency-Key`);
        mustRefuse(answer, [400, 422]);
      }
    },
  },
  {
    id: "idempotency.length",
    proves: [
      "| invalid_request | (validation) | for instance an `Idempotency-Key` that is empty or over 128 characters |",
      "| `Idempotency-Key` | 1 to 128 characters |",
    ],
    async run({ api, run, fixtures, record }) {
      for (const key of ["", run.padEnd(129, "k")]) {
        mustRefuse(await api.post("/orders", record, key), [400, 422], "invalid_request");
      }
      mustSucceed(await fixtures.fullOrder());
    },
  },
  {
    id: "idempotency.replay",
    proves: [
      "The successful response is stored with the operation.",
      "Repeating the same method, path, JSON content and key returns the original status and body with header `Idempotency-Replayed: true`.",
    ],
    async run({ api, fixtures, record, keyOf }) {
      const original = await fixtures.order();
      const order = given(original);
      mustBe(original.responseHeaders.get(REPLAYED), null, "Idempotency-Replayed of the first answer");
      const replay = await api.post("/orders", record, keyOf("order"));
      mustBe(replay.status, original.status, "the status of the replay");
      mustBe(mustSucceed(replay), order, "the order replayed");
      mustBe(replay.json, original.json, "the body of the replay");
      mustBe(replay.responseHeaders.get(REPLAYED), "true", "Idempotency-Replayed of the replay");
    },
  },
  {
    id: "idempotency.member-order",
    proves: ["Key order inside JSON objects does not affect matching."],
    async run({ api, fixtures, keyOf }) {
      const shipment = await fixtures.shipment();
      const body = JSON.stringify(reordered(JSON.parse(shipment.body ?? "")), null, 2);
      const replay = await api.post("/shipments", body, keyOf("shipment"));
      mustBe(mustSucceed(replay).id, given(shipment).id, "the id of the shipment whose members came in another order");
    },
  },
  {
    id: "idempotency.conflict",
    proves: [
      "Changing body, method or path under a used key returns `409 idempotency_conflict`.",
      "| idempotency_conflict | 409 | a key is reused with a different body, method or path |",
      "| 409 | conflicting idempotency key or conflicting resource state |",
    ],
    async run({ api, fixtures, run, record, keyOf }) {
      given(await fixtures.order());
      const { id } = given(await fixtures.subscription());
      const conflicts = [
        await api.post("/orders", { ...record, reference: `${run} changed` }, keyOf("order")),
        await api.post("/shipments", record, keyOf("order")),
        await api.delete(`/webhooks/${id}`, keyOf("order")),
      ];
      for (const answer of conflicts) mustRefuse(answer, 409, "idempotency_conflict");
    },
  },
  {
    id: "idempotency.numbers",
    proves: ["Changing body, method or path under a used key returns `409 idempotency_conflict`."],
    // As doubles, these two numbers are equal. A platform may also refuse them.
    async run({ api, record, keyOf }) {
      const body = JSON.stringify({ ...record, metadata: { number: "here" } });
      const send = (number: string) => api.post("/orders", body.replace('"here"', number), keyOf("number"));
      const first = await send("9007199254740993");
      if (!succeeded(first)) return mustRefuse(first, [400, 422]);
      mustRefuse(await send("9007199254740992"), 409, "idempotency_conflict");
    },
  },
  {
    id: "idempotency.failed",
    proves: ["Failed operations do not reserve the key."],
    // The fixture used the key for a body that was refused, and then for the order.
    async run({ fixtures }) {
      const order = await fixtures.order();
      must(order.json?.error?.code !== "idempotency_conflict", "the key of a refused POST /orders is taken");
      must(order.json?.error === undefined, `a good body under the key of a refused one was answered ${order.status}`);
    },
  },
];
