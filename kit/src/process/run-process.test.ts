import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "../testing/eventually.js";
import { createLog } from "./log.js";
import { waitFor } from "./run-process.js";

test("while a host with several addresses cannot be reached, the log says what is not reachable", async () => {
  const lines: unknown[] = [];
  const stopping = new AbortController();
  const write = (line: string) => {
    lines.push(JSON.parse(line));
    stopping.abort();
  };
  const log = createLog({ part: "carrier", destination: { write } });
  // Node's error for several IP addresses has no message of its own.
  const attempt = () => Promise.reject(new AggregateError([new Error("connect ECONNREFUSED ::1:5432")]));
  await expect(waitFor("database", { log, stopping: stopping.signal, attempt })).rejects.toThrow("aborted");
  expect(lines).toMatchObject([{ msg: "waiting for database", reason: "database not reachable" }]);
});

test.each([
  ["SIGTERM", false],
  ["SIGINT", true],
] as const)("%s stops a process in order, fast: %s, and other signals do not end it", async (signal, fast) => {
  const { child, printed } = await running('console.log("stopped, fast:", fast)');
  for (const ignored of ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const) {
    child.kill(ignored);
    await eventually(() => expect(printed()).toContain(`"signal":"${ignored}","msg":"signal ignored"`));
  }
  child.kill(signal);
  expect(await once(child, "close")).toEqual([0, null]);
  expect(printed()).toContain(`stopped, fast: ${fast}\n`);
  // If SIGUSR1 were not ignored, Node would have printed that its inspector listens.
  expect(printed()).not.toContain("Debugger");
});

test("a second signal ends a process whose stop hangs", async () => {
  const { child } = await running("await new Promise(() => {})");
  const ended = once(child, "close");
  await eventually(() => {
    child.kill("SIGTERM");
    expect(child.exitCode).toBe(1);
  });
  expect(await ended).toEqual([1, null]);
});

test.each([
  ["SIGTERM", 30_000],
  ["SIGINT", 4_000],
  ["SIGHUP", 4_000],
] as const)("%s ends a process in a terminal whose stop hangs, after %i ms", async (signal, limitMs) => {
  // The time limit, which is the only timer of the process, fires at once.
  const { child, printed } = await running(
    "await new Promise(() => {})",
    `process.stdout.isTTY = true;
    timers.setTimeout = async (ms) => console.log("after " + ms);
    syncBuiltinESMExports();`,
  );
  child.kill(signal);
  expect(await once(child, "close")).toEqual([1, null]);
  expect(printed()).toContain(`after ${limitMs}\n`);
  expect(printed()).toContain("stop timed out");
});

/** Starts a process that runs after these `settings`, and collects its output. Its `stop (fast)` has this body. */
async function running(stop: string, settings = "") {
  const script = `
    import { syncBuiltinESMExports } from "node:module";
    import timers from "node:timers/promises";
    import { createLog } from "@shipping/kit/process/log";
    import { runProcess } from "@shipping/kit/process/run-process";
    ${settings}
    setTimeout(() => process.exit(2), 30_000); // if the test fails
    const stop = async (fast) => { ${stop} };
    await runProcess({ log: createLog({ part: "test" }), start: async () => ({ stop }) });
    console.log("running");`;
  const args = ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  await eventually(() => expect(printed).toBe("running\n"));
  return { child, printed: () => printed };
}
