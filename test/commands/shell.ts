import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

const LIMIT_MS = 55_000;

/** The result of a line in a shell. */
export interface Ended {
  status: number | null;
  out: string;
  err: string;
}

/** A shell in a folder of its own. */
export interface Shell {
  run(line: string): Promise<Ended>;
  /** Does the work once the program in the line has printed `ready`, then presses Ctrl-C. The work can read the output so far. */
  runWhile(line: string, ready: string, work: (said: () => string) => Promise<void>): Promise<Ended>;
  /** Presses Ctrl-C as soon as the program in the line has printed `ready`. */
  runUntil(line: string, ready: string): Promise<Ended>;
}

/** Opens a shell whose `npm` runs the repository's scripts from their sources. */
export async function openShell(
  folder: string,
  given: Record<string, string> = {},
  limitMs = LIMIT_MS,
): Promise<Shell> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const runScript = join(import.meta.dirname, "run-script.mjs");
  await writeFile(join(bin, "npm"), `#!/bin/sh\nexec "${process.execPath}" "${runScript}" "$@"\n`);
  await chmod(join(bin, "npm"), 0o755);
  const { PATH = "" } = process.env;
  return openPlainShell(folder, { PATH: [bin, PATH].join(delimiter), ...given }, limitMs);
}

/** Opens a shell with the machine's own programs. `limitMs` is the timeout of each line. */
export function openPlainShell(folder: string, given: Record<string, string> = {}, limitMs = LIMIT_MS): Shell {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, ...given };
  const start = (line: string) =>
    spawn("sh", ["-c", line], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const runWhile: Shell["runWhile"] = async (line, ready, work) => {
    const child = start(`exec env ${line}`);
    const end = ended(child, limitMs);
    const interrupt = () => process.kill(-(child.pid ?? 0), "SIGINT");
    let said = "";
    const isReady = new Promise<void>((resolve) => {
      child.stdout.on("data", (chunk) => {
        said += chunk;
        if (said.includes(ready)) resolve();
      });
    });
    if ((await Promise.race([isReady, end])) === undefined) {
      try {
        await work(() => said);
      } finally {
        interrupt();
        await end;
      }
    }
    return end;
  };
  return {
    run: (line) => ended(start(line), limitMs),
    runWhile,
    runUntil: (line, ready) => runWhile(line, ready, async () => {}),
  };
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>, limitMs: number): Promise<Ended> {
  // Kills the processes of a line that does not end.
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), limitMs);
  const [[status], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  clearTimeout(timer);
  return { status, out, err };
}

/** The examples at the end of a command's help. */
export function examplesOf(help: string): string[] {
  const [, lines = ""] = /\nExamples:\n((?: {2}\S.*\n)+)$/.exec(help) ?? [];
  return lines.split("\n").flatMap((line) => (line ? [line.trim()] : []));
}
