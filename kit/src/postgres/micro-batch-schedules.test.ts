import pg from "pg";
import { Failure } from "../errors.js";
import { explore } from "../testing/schedules/explore.js";
import { backgroundBatch } from "./background-batch.js";
import { microBatch } from "./micro-batch.js";

const WAIT_MS = 200;
const refused = Object.assign(new pg.DatabaseError("taken", 1, "error"), { code: "23505", constraint: "c" });

test("every call has its own result or error, once, whatever the order of calls, statements and timers", async () => {
  await explore(200, async (schedule) => {
    const isBackground = schedule.choose(2) === 0;
    const executed: string[] = [];
    const calls = Array.from({ length: 3 + schedule.choose(12) }, (_, at) => {
      const kind = ["good", "good", "good", "bad", "lost"][schedule.choose(5)]!;
      return { name: `${kind} ${at}`, kind, key: `key ${schedule.choose(6)}`, end: "none" };
    });
    type Call = (typeof calls)[number];
    const [max, concurrency] = [1 + schedule.choose(4), 1 + schedule.choose(2)];
    let running = 0;
    const statement = {
      ...{ max, concurrency },
      async run(items: Call[]) {
        running++;
        expect(running).toBeLessThanOrEqual(concurrency);
        expect(items.length).toBeLessThanOrEqual(max);
        if (!isBackground) expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
        await schedule.step(`statement of ${items.map(({ name }) => name)}`);
        running--;
        // PostgreSQL refuses a statement as a whole.
        if (items.some(({ kind }) => kind === "bad")) throw refused;
        executed.push(...items.map(({ name }) => name));
        await schedule.step(`answer to ${items.map(({ name }) => name)}`);
        if (items.some(({ kind }) => kind === "lost")) throw new Error("The connection was lost.");
        return items.map(({ name }) => name);
      },
    };
    const keep = isBackground
      ? backgroundBatch<Call, string>(statement)
      : microBatch<Call, string>({ ...statement, waitMs: WAIT_MS, keyOf: ({ key }) => key });
    const unsent = isBackground ? [] : ["service_unavailable"];

    async function play() {
      await Promise.all(
        calls.map((call, at) =>
          schedule.run("process", `call ${at}`, async () => {
            await schedule.step("begins");
            call.end = await keep(call).catch((error) => (error instanceof Failure ? error.code : error.message));
          }),
        ),
      );
    }

    async function check() {
      expect(new Set(executed).size).toBe(executed.length);
      for (const { name, kind, end } of calls) {
        expect([name, "taken", "The connection was lost.", ...unsent]).toContain(end);
        expect(executed.includes(name)).toBe(end === name || end === "The connection was lost.");
        if (end === "taken") expect(kind).toBe("bad");
        if (kind === "bad") expect(["taken", ...unsent]).toContain(end);
      }
    }

    return { play, check };
  });
});
