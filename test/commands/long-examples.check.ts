import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { examplesOf } from "./shell.js";

const root = join(import.meta.dirname, "../..");
const LIMIT_MS = 15 * 60_000;

async function run(line: string): Promise<{ status: number | null; out: string }> {
  const child = spawn("sh", ["-c", line], { cwd: root, stdio: ["ignore", "pipe", "inherit"] });
  const [[status], out] = await Promise.all([once(child, "close"), text(child.stdout)]);
  return { status, out };
}

test.each(["bench --", "trial -- deliveries", "trial -- abuse", "trial -- versions"])(
  "npm run %s: each example ends well",
  async (script) => {
    const lines = examplesOf((await run(`npm run -s ${script} --help`)).out);
    expect(lines).not.toEqual([]);
    for (const line of lines) expect([line, (await run(line)).status]).toEqual([line, 0]);
  },
  LIMIT_MS,
);
