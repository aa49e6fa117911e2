import type { Check } from "../check.js";
import { describeAnswer, must, mustBe, mustRefuse, mustSucceed, succeeded } from "../judge.js";
import { UNKNOWN_ID } from "../operations.js";

// Byte order marks, white space, a decomposed character, and a surrogate pair: decoding, trimming or normalizing would change this text.
const TEXT = "\ufeff \u2028e\u0301 \u{1f4e6}\ufeff ";
const TEXT_FIELDS = "name street1 city postal_code company street2 state email phone".split(" ");

// Numbers that a double cannot represent.
const LOST = ["12345678901234567890", "9007199254740993", "1e400", "1e-400"];
// Doubles in the notation of other languages and of responses.
const PRINTED = [
  ["0.10000000000000001", "0.1"],
  ["67.2000000000000028421709430404007434844970703125", "67.2"],
  ["1.0000000000000001E-001", "0.1"],
] as const;

const ROUNDS = 2;
// A request waits at most five seconds for an earlier one with the same key. A busy platform may need longer.
const TRIES = 5;

/** The contract's rules about exact text, exact numbers and concurrent requests. */
export const exactnessChecks: readonly Check[] = [
  {
    id: "contract.text",
    proves: [
      "Values are stored as sent, to the byte: not trimmed, and a leading U+FEFF stays.",
      "returned deep-equal to what was sent;",
    ],
    async run({ api, record }) {
      const address = { ...Object.fromEntries(TEXT_FIELDS.map((field) => [field, TEXT])), country: "DE" };
      const sent = { ...record, reference: TEXT, from: address, to: address, metadata: { [TEXT]: [TEXT] } };
      const created = mustSucceed(await api.post("/orders", sent), 201);
      const read = mustSucceed(await api.get(`/orders/${created.id}`), 200);
      for (const [name, member] of Object.entries(sent)) {
        mustBe(created[name], member, `${name} of the order created`);
        mustBe(read[name], member, `${name} of the order read`);
      }
    },
  },
  {
    id: "contract.numbers",
    proves: [
      "A number with a fraction or an exponent means the nearest double, however many digits its writer printed",
      "equal doubles are equal content, and answers print the shortest form.",
      "Refused under its path, anywhere in a body, metadata included, is what a double cannot stand for: an integer that it does not keep exactly (`12345678901234567890`, `9007199254740993`), what overflows (`1e400`) and what is not 0 but would become 0 (`1e-400`).",
    ],
    async run({ api, record, keyOf }) {
      const text = JSON.stringify({ ...record, metadata: { numbers: [] } });
      const bodyWith = (numbers: readonly string[]) => text.replace("[]", `[${numbers}]`);
      const answer = await api.post("/orders", bodyWith(LOST));
      mustRefuse(answer, 422, "invalid_request");
      const paths = answer.json.error.fields?.map(({ path }: { path: string }) => path);
      mustBe(
        paths,
        LOST.map((_, index) => `metadata.numbers.${index}`),
        "the fields that the refusal names",
      );
      for (const [printed, shortest] of PRINTED) {
        const ofWeight = (weight: string) => bodyWith([weight]).replace('"weight_kg":1.5', `"weight_kg":${weight}`);
        const created = await api.post("/orders", ofWeight(printed), keyOf(printed));
        const { id, parcel, metadata } = mustSucceed(created, 201);
        mustBe(
          [parcel.weight_kg, metadata.numbers],
          [Number(shortest), [Number(shortest)]],
          `${printed} in the answer`,
        );
        must(created.bytes.includes(`"weight_kg":${shortest},`), `the answer does not print ${shortest}`);
        const replay = await api.post("/orders", ofWeight(shortest), keyOf(printed));
        mustBe(mustSucceed(replay).id, id, `the id of the order with ${shortest} instead of ${printed}`);
      }
    },
  },
  {
    id: "contract.open-key",
    proves: [
      "While a request with the key is under way and its outcome open, one with another body waits as an equal one does, and is then decided by the outcome: a success makes it `idempotency_conflict`, a failure reserved nothing and it is executed.",
    ],
    async run({ api, clock, record, keyOf }) {
      const outcome = async (path: string, body: object, key: string) => {
        for (let tries = 1; ; tries++) {
          const answer = await api.post(path, body, key);
          if (answer.json?.error?.code !== "idempotency_in_progress" || tries === TRIES) return answer;
          await clock.wait(1_000);
        }
      };
      for (let round = 1; round <= ROUNDS; round++) {
        const key = keyOf(`failing-${round}`);
        const [failing, good] = await Promise.all([
          outcome("/shipments", { ...record, order_id: UNKNOWN_ID }, key),
          outcome("/shipments", record, key),
        ]);
        mustSucceed(good, 201);
        // 404 if it was executed first, 409 if second.
        mustRefuse(failing, [404, 409]);
      }
      const key = keyOf("both-good");
      const both = await Promise.all(
        ["one", "other"].map((name) => outcome("/orders", { ...record, metadata: { name } }, key)),
      );
      const made = both.filter(succeeded);
      const answers = both.map(describeAnswer).join(" and ");
      must(made.length === 1, `for two different bodies sent at once with one key, ${answers}`);
      for (const one of both) if (!succeeded(one)) mustRefuse(one, 409, "idempotency_conflict");
    },
  },
];
