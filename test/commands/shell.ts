import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

const LIMIT_MS = 55_000;

/** What a line in a shell came to. */
export interface Ended {
  status: number | null;
  out: string;
  err: string;
}

/** A shell in a folder of its own, whose `npm` runs the repository's scripts from their sources. */
export interface Shell {
  run(line: string): Promise<Ended>;
  /** Presses Ctrl-C as soon as the program in the line has printed `ready`. */
  runUntil(line: string, ready: string): Promise<Ended>;
}

/** Opens a shell. */
export async function openShell(folder: string, given: Record<string, string> = {}): Promise<Shell> {
  const bin = join(folder, "bin");
  await mkdir(bin, { recursive: true });
  const runScript = join(import.meta.dirname, "run-script.mjs");
  await writeFile(join(bin, "npm"), `#!/bin/sh\nexec "${process.execPath}" "${runScript}" "$@"\n`);
  await chmod(join(bin, "npm"), 0o755);
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH: [bin, PATH].join(delimiter), HOME, ...given };
  const start = (line: string) =>
    spawn("sh", ["-c", line], { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  return {
    run: (line) => ended(start(line)),
    runUntil(line, ready) {
      const child = start(`exec env ${line}`);
      let said = "";
      child.stdout.on("data", (chunk) => {
        const before = said.includes(ready);
        said += chunk;
        if (!before && said.includes(ready)) process.kill(-(child.pid ?? 0), "SIGINT");
      });
      return ended(child);
    },
  };
}

async function ended(child: ChildProcessByStdio<null, Readable, Readable>): Promise<Ended> {
  // What does not end leaves nothing behind.
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LIMIT_MS);
  const [[status], out, err] = await Promise.all([once(child, "close"), text(child.stdout), text(child.stderr)]);
  clearTimeout(timer);
  return { status, out, err };
}

/** The lines that a command's help ends with. */
export function examplesOf(help: string): string[] {
  const [, lines = ""] = /\nExamples:\n((?: {2}\S.*\n)+)$/.exec(help) ?? [];
  return lines.split("\n").flatMap((line) => (line ? [line.trim()] : []));
}
