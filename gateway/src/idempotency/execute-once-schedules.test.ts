import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import type { TestDatabase } from "@shipping/kit/testing/database";
import { explore, type Schedule } from "@shipping/kit/testing/schedules/explore";
import { scheduledDatabases } from "@shipping/kit/testing/schedules/scheduled-database";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { fingerprintOf, lost, toAnswer } from "../testing/idempotency-under-test.js";
import { ownerDatabase, ownerOn } from "../testing/owner-under-test.js";
import { executeOnce, type OnceDeps, startIdempotency } from "./execute-once.js";
import { type Owner, peekKey, type RegistryDeps } from "./registry.js";

let registry: Awaited<ReturnType<typeof gatewayDatabase>>;
let ledgers: TestDatabase;
let openRegistry: Awaited<ReturnType<typeof scheduledDatabases>>;
let openLedgers: Awaited<ReturnType<typeof scheduledDatabases>>;
beforeAll(async () => {
  [registry, ledgers] = await Promise.all([gatewayDatabase(), ownerDatabase()]);
  openRegistry = await scheduledDatabases(registry, ["idempotency_registry"]);
  openLedgers = await scheduledDatabases(ledgers, ["ledger", "executions"]);
});
afterAll(() => Promise.all([registry.drop(), ledgers.drop()]));

const ANSWER_MS = 10_000;
const CALL_MS = 2_000;
// A lease lasts 4 s.
const ARRIVALS_MS = [1, 1, 100, 4_500];
const DELAYS_MS = [0, 0, 0, 0, 50, 4_500, 9_000];
const NOT_YET = ["service_unavailable", "idempotency_in_progress"];

/** An owner in another process. Calls may be late or lost, and so may their responses. */
function remoteOwner(schedule: Schedule, db: Database) {
  const network = { isGood: false };
  const owner = ownerOn(db);
  // Claims that a gateway may have been told were fenced off.
  const aborted: bigint[] = [];
  let calls = 0;

  async function call<T>(what: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const number = ++calls;
    const loss = network.isGood ? 0 : schedule.choose(12);
    await schedule.step(`${what} goes out`);
    if (loss === 1) throw lost();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(lost()), timeoutMs);
    });
    const delayMs = network.isGood ? 0 : DELAYS_MS[schedule.choose(DELAYS_MS.length)]!;
    const answer = schedule.run("records", `${what} ${number}`, async () => {
      if (delayMs > 0) await sleep(delayMs);
      return work();
    }) as Promise<T>;
    // The outcome may come after the timeout.
    answer.catch(() => {});
    try {
      const result = await Promise.race([answer, late]);
      await schedule.step(`${what} has its answer`);
      if (loss === 2) throw lost();
      return result;
    } finally {
      clearTimeout(timer);
    }
  }

  const { client } = owner;
  const ledger: typeof client = {
    ...client,
    read: (request, options) => call("read", options?.timeoutMs ?? CALL_MS, () => client.read(request)),
    resolve: (request, options) =>
      call("resolve", options?.timeoutMs ?? CALL_MS, async () => {
        const resolved = await client.resolve(request);
        if (!resolved.committed) aborted.push(request.token!);
        return resolved;
      }),
  };
  return { network, owner, aborted, call, ledger };
}

test("one execution per key and one answer for all, whatever the order of statements, calls, commits and timers", async () => {
  await explore(50, async (schedule) => {
    const openGateway = await openRegistry(schedule);
    const { network, owner, aborted, call, ledger } = remoteOwner(schedule, (await openLedgers(schedule))());
    const caller: Caller = { accountId: newId("acc", schedule.random), environment: "sandbox" };
    const key = { caller, idempotencyKey: "a key" };
    const clients = { ledgers: { records: ledger, carrier: ledger, webhooks: ledger } };

    function startGateway(): OnceDeps {
      const deps: RegistryDeps = {
        db: openGateway(),
        log: silentLog(),
        random: schedule.random,
        clockOffsetMs: 0,
        clients,
      };
      return { ...deps, idempotency: startIdempotency(deps) };
    }

    async function request(gateway: OnceDeps, content: string, isRefused: boolean) {
      const refused: bigint[] = [];
      let begunMs = Number.POSITIVE_INFINITY;
      const peeked = schedule.choose(2) === 0 ? peekKey(gateway, key) : Promise.resolve(undefined);
      const execute = (row: Awaited<typeof peeked>) => {
        begunMs = schedule.nowMs();
        return executeOnce(gateway, {
          ...key,
          toFingerprint: () => fingerprintOf(content),
          owner: "records" satisfies Owner,
          peeked: row,
          deadline: performance.now() + ANSWER_MS,
          requestId: "req_test",
          validate: () => {},
          send: (claim, options) =>
            call("write", options.timeoutMs ?? CALL_MS, async () => {
              if (!isRefused) return owner.write(caller, claim, content);
              refused.push(claim.token);
              throw fail("not_found");
            }),
        });
      };
      const answer = await peeked.then(execute).then(
        (snapshot) => toAnswer(snapshot).content as string,
        (error: Failure) => String(error.code ?? error),
      );
      return { content, answer, refused, ms: schedule.nowMs() - begunMs };
    }

    let answers: Awaited<ReturnType<typeof request>>[] = [];
    let last: (typeof answers)[number] | undefined;
    async function play() {
      const processes = await Promise.all(
        ["gateway 1", "gateway 2"].map(async (name) => ({
          name,
          gateway: (await schedule.run(name, "start", async () => startGateway()))!,
        })),
      );
      const asked = Array.from({ length: 2 + schedule.choose(3) }, (_, number) => {
        const { name, gateway } = processes[schedule.choose(2)]!;
        const content = ["A", "A", "B"][schedule.choose(3)]!;
        const isRefused = schedule.choose(5) === 0;
        const afterMs = ARRIVALS_MS[schedule.choose(ARRIVALS_MS.length)]!;
        return schedule.run(name, `${content}${number}`, async () => {
          if (number > 0) await sleep(afterMs);
          return request(gateway, content, isRefused);
        });
      });
      const chaos = schedule.run("chaos", "kills and loses", async () => {
        const kind = schedule.choose(6);
        if (kind > 3) return;
        for (let pause = schedule.choose(30); pause > 0; pause--) await schedule.step("waits");
        if (kind < 2) schedule.kill("gateway 2");
        // The registry's database is replaced by a copy that lags.
        else await openGateway().run(sql`DELETE FROM idempotency_registry`);
      });
      const [ends] = await Promise.all([Promise.all(asked), chaos]);
      answers = ends.filter((end) => end !== undefined);
      network.isGood = true;
      schedule.calmDown();
      last = await schedule.run("gateway 3", "A again", async () => {
        const gateway = startGateway();
        let answer = await request(gateway, "A", false);
        while (NOT_YET.includes(answer.answer)) answer = await request(gateway, "A", false);
        await gateway.idempotency.stop();
        return answer;
      });
      await Promise.all(
        processes.map(({ name, gateway }) => schedule.run(name, "stop", () => gateway.idempotency.stop())),
      );
    }

    async function check() {
      const executed = await ownerOn(ledgers.db).executions(caller);
      expect(executed).toHaveLength(1);
      expect(aborted).not.toContain(executed[0]?.token);
      expect(last?.answer).toBe(executed[0]?.content === "A" ? "A" : "idempotency_conflict");
      for (const { content, answer, refused, ms } of answers) {
        expect(ms).toBeLessThanOrEqual(ANSWER_MS);
        expect([
          content,
          "not_found",
          "service_unavailable",
          "idempotency_conflict",
          "idempotency_in_progress",
        ]).toContain(answer);
        if (answer === content) expect(executed[0]?.content).toBe(content);
        if (answer === "not_found") expect(refused.at(-1)).not.toBe(executed[0]?.token);
      }
      const row = await peekKey({ db: registry.db, clockOffsetMs: 0 }, key);
      if (row?.state === "done") expect(row.fingerprint).toEqual(fingerprintOf(executed[0]!.content));
    }
    return { play, check };
  });
});
