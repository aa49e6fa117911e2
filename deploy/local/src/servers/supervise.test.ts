import { spawn } from "node:child_process";
import { eventually } from "@shipping/kit/testing/eventually";
import { isRunning, type ProcessIdentity, processIdentity } from "./process-identity.js";
import { serverProcess } from "./server-process.js";
import { type Supervised, supervise } from "./supervise.js";

const started: ProcessIdentity[] = [];
const said: string[] = [];
let supervised: Supervised | undefined;

afterEach(async () => {
  await supervised?.stop();
  started.length = 0;
  said.length = 0;
});

/** Keeps a script running; `isReady` holds back its readiness. */
function keepRunning(script: string, isReady: Promise<void> = Promise.resolve()): Supervised {
  supervised = supervise(
    {
      name: "script-1",
      address: "127.0.0.1:1",
      async start(spawned) {
        const child = spawn(process.execPath, ["--eval", script], { stdio: "ignore" });
        const server = serverProcess(child, { stop: "SIGTERM", force: "SIGKILL" });
        spawned(server);
        const ended = server.exited.then((how) => {
          throw new Error(how);
        });
        await Promise.race([isReady, ended]);
      },
    },
    {
      spawned: (pid) => started.push(processIdentity(pid) as ProcessIdentity),
      say: (line) => said.push(line),
    },
  );
  return supervised;
}

const FOREVER = "setInterval(() => {}, 1000)";

describe("supervise", () => {
  test("restarts a server that was killed, and logs it", async () => {
    await keepRunning(FOREVER).ready;
    process.kill(started[0]?.pid as number, "SIGKILL");
    await eventually(() => expect(started).toHaveLength(2));
    expect(said).toEqual(["script-1 exited (SIGKILL). Restarting it in one second."]);
  });

  test("restarts a server that ends before it is ready, as often as needed", async () => {
    keepRunning("process.exit(7)", new Promise(() => {}));
    await eventually(() => expect(started.length).toBeGreaterThan(2));
    expect(said[1]).toBe("script-1 exited (exit 7). Restarting it in one second.");
  });

  test("tries again if the process cannot be created", async () => {
    let attempts = 0;
    supervised = supervise(
      {
        name: "script-1",
        address: "127.0.0.1:1",
        start: () => Promise.reject(new Error(`no program ${++attempts}`)),
      },
      { spawned: () => {}, say: (line) => said.push(line) },
    );
    await eventually(() => expect(said).toHaveLength(2));
    expect(said[1]).toContain("no program 2");
  });

  test("stops the server, ready or not, and does not restart it", async () => {
    for (const isReady of [Promise.resolve(), new Promise<void>(() => {})]) {
      const running = keepRunning(FOREVER, isReady);
      await eventually(() => expect(started.at(-1)).toBeDefined());
      await running.stop();
      expect(started.filter(isRunning)).toEqual([]);
    }
    expect(started).toHaveLength(2);
    expect(said).toEqual([]);
  });
});
