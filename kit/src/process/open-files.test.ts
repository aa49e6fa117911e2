import { type ChildProcess, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { createLog } from "./log.js";
import { affordConnections } from "./open-files.js";

const SCRIPT = `
  import { createLog } from "@shipping/kit/process/log";
  import { serveOps } from "@shipping/kit/process/health";
  import { serve } from "@shipping/kit/rpc/server";
  const log = createLog({ part: "test" });
  const at = { port: 0, host: "127.0.0.1", log };
  const ops = await serveOps({ ...at, ready: async () => undefined });
  const rpc = await serve({ ...at, routes: () => {} });
  log.info({ ops: ops.port, rpc: rpc.port }, "ready");`;

let child: ChildProcess | undefined;
afterEach(() => child?.kill("SIGKILL"));

test("a process whose port gets more connections than it may open files answers its probes, and logs a warning", async () => {
  const args = ["-c", 'ulimit -n 300; exec "$0" "$@"', process.execPath];
  const program = ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", SCRIPT];
  child = spawn("sh", [...args, ...program], { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const line = async () => JSON.parse((await lines.next()).value as string);
  const reduced = { msg: "fewer connections: the limit of open files is low", max_open_files: 300, connections: 150 };
  expect(await line()).toMatchObject({ ...reduced, needed: 2_400 });
  const { ops, rpc } = await line();
  const sockets: Socket[] = Array.from({ length: 400 }, () => connect(rpc, "127.0.0.1").on("error", () => {}));
  expect(await line()).toMatchObject({ msg: "connection refused: too many are open", max: 150 });
  expect((await fetch(`http://127.0.0.1:${ops}/livez`)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("with enough descriptors, connections are not reduced and no warning is logged", () => {
  const lines: string[] = [];
  const log = createLog({ part: "test", destination: { write: (line) => void lines.push(line) } });
  expect([2_400, 1_048_576, Number.POSITIVE_INFINITY].map((max) => affordConnections(2_000, log, max))).toEqual([
    2_000, 2_000, 2_000,
  ]);
  expect(lines).toEqual([]);
});
