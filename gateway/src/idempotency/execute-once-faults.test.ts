import { setTimeout as sleep } from "node:timers/promises";
import { type Failure, fail } from "@shipping/kit/errors";
import { runs } from "@shipping/kit/testing/runs";
import { newCaller } from "@shipping/kit/testing/writes";
import fc from "fast-check";
import { idempotencyUnderTest, lost, toAnswer } from "../testing/idempotency-under-test.js";
import { executeOnce, type OnceRequest } from "./execute-once.js";
import { endLease } from "./registry.js";

let under: Awaited<ReturnType<typeof idempotencyUnderTest>>;
beforeAll(async () => {
  under = await idempotencyUnderTest();
});
afterAll(() => under.end());

type Fault = "none" | "refused" | "lost before" | "lost after" | "delivered late";

interface Script {
  content: "A" | "B" | "C";
  fault: Fault;
  delayMs: number;
  otherGateway: boolean;
}

const script: fc.Arbitrary<Script> = fc.record({
  content: fc.constantFrom("A", "A", "B", "C"),
  fault: fc.constantFrom<Fault>("none", "refused", "lost before", "lost after", "delivered late"),
  delayMs: fc.integer({ min: 0, max: 12 }),
  otherGateway: fc.boolean(),
});

/** A lease that ends early, as if a process had paused, or a claim that a process fences off before it dies. */
interface Accident {
  afterMs: number;
  kind: "lapse" | "fence";
}

const accident: fc.Arbitrary<Accident> = fc.record({
  afterMs: fc.integer({ min: 0, max: 30 }),
  kind: fc.constantFrom("lapse", "lapse", "fence"),
});

/** Requests with one key, each with a fault. B has a different owner than A and C. */
function play(scripts: Script[]) {
  const caller = newCaller();
  const late: Promise<unknown>[] = [];

  function requestOf({ content, fault, delayMs }: Script) {
    const request = under.request(content, { caller, owner: content === "B" ? "carrier" : "records" });
    const refused: bigint[] = [];
    const send: OnceRequest["send"] = async (claim, options) => {
      const deliver = () => sleep(delayMs).then(() => request.send(claim, options));
      if (fault === "none") return deliver();
      if (fault === "delivered late") late.push(deliver());
      if (fault === "lost after") await deliver();
      if (fault !== "refused") throw lost();
      await sleep(delayMs);
      refused.push(claim.token);
      throw fail("not_found");
    };
    return { request: { ...request, send }, refused };
  }

  async function run(each: Script) {
    const { request, refused } = requestOf(each);
    const answer = await executeOnce(each.otherGateway ? under.otherGateway : under.gateway, request).then(
      (snapshot) => toAnswer(snapshot).content as string,
      (error: Failure) => `${error.code}`,
    );
    return { content: each.content, answer, refused };
  }

  async function executions() {
    const { records, carrier } = under.owners;
    return [...(await records.executions(caller)), ...(await carrier.executions(caller))];
  }

  const row = () => under.row(under.request("A", { caller }));

  async function happen({ afterMs, kind }: Accident) {
    await sleep(afterMs);
    const claim = await row();
    if (claim?.state !== "claimed") return;
    const { client } = under.owners[claim.owner];
    if (kind === "fence") await client.resolve({ caller, idempotencyKey: "a key", token: claim.token });
    await endLease(under.gateway, { caller, idempotencyKey: "a key" }, claim.token);
  }

  return {
    executions,
    happen,
    runAll: async () => {
      const answers = await Promise.all(scripts.map(run));
      await Promise.allSettled(late);
      return answers;
    },
    retry: (content: Script["content"]) => run({ content, fault: "none", delayMs: 0, otherGateway: false }),
    row,
  };
}

test("whatever is lost, late or refused: one execution at most, and every answer is true", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(script, { minLength: 1, maxLength: 5 }),
      fc.array(accident, { maxLength: 4 }),
      async (scripts, accidents) => {
        const played = play(scripts);
        const [answers] = await Promise.all([played.runAll(), ...accidents.map(played.happen)]);
        await played.happen({ afterMs: 0, kind: "lapse" });
        const before = await played.executions();
        if ((await played.row())?.state === "done") expect(before).toHaveLength(1);

        const last = await played.retry("A");
        const executed = await played.executions();
        expect(executed).toHaveLength(1);
        expect(last.answer).toBe(executed[0]?.content === "A" ? "A" : "idempotency_conflict");
        for (const { content, answer, refused } of answers) {
          if (answer === content) expect(executed[0]?.content).toBe(content);
          if (answer === "not_found") expect(refused).not.toContain(executed[0]?.token);
          expect([content, "not_found", "service_unavailable", "idempotency_conflict"]).toContain(answer);
        }
      },
    ),
    { numRuns: runs(30) },
  );
});
