import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServerProcess, type StopSignals, serverProcess } from "@shipping/local/servers/server-process";
import type { PartProcess } from "./plan-processes.js";

const POLL_MS = 50;
const ANSWER_MS = 2_000;

// As long as a clean shutdown of a part may take; the cluster as a whole has 30 s.
const SIGNALS: StopSignals = { stop: "SIGTERM", fast: "SIGINT", force: "SIGKILL", patienceMs: 26_000 };

/**
 * Starts a process of a part, its log added to `logFile`, and resolves when it says that it is ready, however long that takes. If it
 * ends instead, the error says how.
 */
export async function startPart(
  plan: PartProcess,
  options: { logFile: string; spawned(server: ServerProcess): void },
): Promise<void> {
  // It writes into the file by itself, so that it outlives us without harm; and Ctrl-C in a terminal reaches us alone.
  const log = openSync(options.logFile, "a");
  const child = spawn(process.execPath, [plan.main], { env: plan.env, detached: true, stdio: ["ignore", log, log] });
  closeSync(log);
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const server = serverProcess(child, SIGNALS);
  if (child.pid !== undefined) options.spawned(server);
  const ended = server.exited.then((how) => {
    throw new Error(how);
  });
  const over = new AbortController();
  await Promise.race([untilReady(plan.opsPort, over.signal), ended, failed]).finally(() => over.abort());
}

async function untilReady(opsPort: number, over: AbortSignal): Promise<void> {
  while (!over.aborted && !(await isReady(opsPort))) await sleep(POLL_MS);
}

async function isReady(opsPort: number): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`, { signal });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}
