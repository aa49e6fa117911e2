import { isRunning, processIdentity } from "./process-identity.js";
import { type ServerProcess, type ServerProgram, startServerProcess } from "./server-process.js";

/** Starts a server whose behaviour is a JavaScript script. */
function server(script: string): ServerProgram {
  return {
    program: process.execPath,
    args: ["--eval", script],
    ready: "ready",
    signals: { stop: "SIGTERM", force: "SIGKILL" },
  };
}

describe("startServerProcess", () => {
  test("waits for the line that reports readiness, passes on the log, and stops", async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const script = 'console.error("starting"); console.error("now ready"); setInterval(() => {}, 1000)';
    const running = await startServerProcess({ ...server(script), log });
    expect(lines).toEqual(["starting", "now ready"]);
    const identity = processIdentity(running.pid);
    expect(identity && isRunning(identity)).toBe(true);
    await running.stop();
    expect(identity && isRunning(identity)).toBe(false);
  });

  test("resolves `exited` when the server ends by itself; stopping it then is no error", async () => {
    const running = await startServerProcess(server('console.error("ready")'));
    await running.exited;
    await running.stop();
  });

  test("hands out the process before it is ready, and reports how it ended", async () => {
    const start = (script: string, end: (server: ServerProcess) => unknown) =>
      new Promise<string>((done) => {
        const spawned = (early: ServerProcess) => {
          void early.exited.then(done);
          end(early);
        };
        startServerProcess({ ...server(script), spawned }).catch(() => {});
      });
    expect(await start("setInterval(() => {}, 1000)", (early) => early.kill())).toBe("SIGKILL");
    expect(await start("setInterval(() => {}, 1000)", (early) => early.stop())).toBe("SIGTERM");
    expect(await start("process.exit(3)", () => {})).toBe("exit 3");
  });

  test("fails with the last log lines of a server that ends before it is ready", async () => {
    await expect(startServerProcess(server('console.error("no disk")'))).rejects.toThrow(/^no disk$/);
    await expect(startServerProcess(server(""))).rejects.toThrow("it exited without a message");
  });

  test("fails when there is no such program", async () => {
    await expect(startServerProcess({ ...server(""), program: "/nowhere" })).rejects.toMatchObject({ code: "ENOENT" });
  });
});
