import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { createLog } from "./log.js";

const SCRIPT = `
  import { createLog } from "@shipping/kit/process/log";
  import { droppedLines } from "@shipping/kit/process/output";
  const log = createLog({ part: "test" });
  for (let n = 0; n < 9_000; n++) log.info({ n, fill: "x".repeat(1_000) }, "line");
  process.send({ dropped: droppedLines() });
  process.on("message", () => process.exit(0));`;

test("a log whose reader hangs does not block the process: lines beyond a limit are dropped, and their number is logged when it is read again", async () => {
  const args = ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", SCRIPT];
  const options = {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit", "ipc"] as ["ignore", "pipe", "inherit", "ipc"],
  };
  const child = spawn(process.execPath, args, options);
  // The lines have 9 MB; a pipe takes 64 KiB.
  const [{ dropped }] = await once(child, "message");
  expect(dropped).toBeGreaterThan(1_000);
  const lines: { n?: number; msg: string; lines?: number }[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(JSON.parse(line));
    if (lines.at(-1)?.lines) child.send("end");
  }
  expect(lines.at(-1)).toMatchObject({
    msg: "log lines were dropped, because the reader was too slow",
    lines: dropped,
  });
  expect(lines.slice(0, -1).map(({ n }) => n)).toEqual([...Array(9_000 - dropped).keys()]);
});

test("the logs of many parts in one process listen to their stream once", () => {
  const destination = new PassThrough();
  const before = destination.listenerCount("drain");
  for (let n = 0; n < 20; n++) createLog({ part: `part-${n}`, destination }).info("line");
  expect(destination.listenerCount("drain")).toBe(before + 1);
  expect(destination.read().toString().trim().split("\n")).toHaveLength(20);
});
