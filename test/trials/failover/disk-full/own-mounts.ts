import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import type { Report } from "../../kit/report.js";
import { mountsOf } from "./small-disk.js";

const run = promisify(execFile);
const OUTSIDE = "MOUNTS_OUTSIDE";
const OWN = ["--mount", "--propagation", "private"];

/** Whether this process has a mount namespace that `inOwnMounts` made. */
export function hasOwnMounts(): boolean {
  const outside = process.env[OUTSIDE];
  return outside !== undefined && outside !== mountsOf();
}

/** Runs the scenario again in a process whose mounts are private and end with it. */
export async function inOwnMounts(scenario: string): Promise<Report> {
  const { out, missing } = await rerunInOwnMounts([scenario]);
  if (missing !== undefined) return { figures: {}, broken: [missing] };
  const { scenario: _, broken, ...figures } = JSON.parse(out);
  return { figures, broken };
}

/** Runs this program again with other arguments and its own mounts. Resolves with its output, or with the missing requirement. */
export async function rerunInOwnMounts(
  args: readonly string[],
): Promise<{ out: string; code: number | null; missing?: string }> {
  const missing = await run("unshare", [...OWN, "mount", "-t", "tmpfs", "small-disk", "/mnt"]).catch((error) => error);
  if (missing instanceof Error) {
    const needed = "Linux, and the right to mount file systems (root, in a container CAP_SYS_ADMIN)";
    return { out: "", code: 1, missing: `Small disks need ${needed}: ${missing.message}` };
  }
  const [node = "", main = ""] = process.argv;
  const child = spawn("unshare", [...OWN, node, ...process.execArgv, main, ...args], {
    env: { ...process.env, [OUTSIDE]: mountsOf() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[] = [];
  child.stdout.on("data", (chunk) => said.push(String(chunk)));
  const [code] = await once(child, "close");
  return { out: said.join(""), code };
}
