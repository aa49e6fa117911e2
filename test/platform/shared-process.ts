import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { Shared } from "./serve-shared.js";

/** The time that a start may take on a busy machine: less than that of a hook in Jest and of a request, so that the error says the cause. */
export const START_MS = 280_000;

const LAST_LINES = 20;

/** The last lines of a text. */
export const lastLines = (text: string) => text.trim().split("\n").slice(-LAST_LINES).join("\n");

/** Starts a program of Node that prints a line of JSON for its users, and ends when its standard input does. If it ends before, or prints no line, the error has what it wrote last. */
export async function startSharedProcess(
  args: readonly string[],
  { env, withinMs = START_MS }: { env: NodeJS.ProcessEnv; withinMs?: number },
): Promise<Shared> {
  const child = spawn(process.execPath, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const said: string[] = [];
  child.stderr.on("data", (chunk) => {
    said.push(String(chunk));
    process.stderr.write(chunk);
  });
  const over = new AbortController();
  const exited = once(child, "close");
  const line = once(createInterface(child.stdout), "line").then(([text]) => JSON.parse(text) as object);
  const ended = exited.then(([code, signal]) => `Its process ended (${signal ?? `exit ${code}`})`);
  const late = sleep(withinMs, `Its process was not ready after ${withinMs / 1_000} s`, { signal: over.signal });
  const first = await Promise.race([line, ended, late]).finally(() => {
    late.catch(() => {});
    over.abort();
  });
  if (typeof first === "string") {
    child.kill("SIGKILL");
    throw new Error(`${first}. It wrote: ${lastLines(said.join("")) || "nothing"}`);
  }
  return {
    tells: first,
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

/** The last errors in the logs of a cluster, each with the name of its process. */
export async function errorsInLogs(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, "logs");
  const names = await readdir(folder).catch(() => []);
  const found = names.map(async (name) => {
    const lines = (await readFile(join(folder, name), "utf8")).split("\n");
    // PostgreSQL and NATS write no JSON.
    const last = lines.findLast((line) => /"level":"(?:error|fatal)"|\b(?:FATAL|PANIC)\b|\[FTL\]/.test(line));
    return last === undefined ? [] : [`${name.replace(/\.log$/, "")}: ${last}`];
  });
  return (await Promise.all(found)).flat();
}
