import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { mountsOf } from "./small-disk.js";

const run = promisify(execFile);
const OUTSIDE = "MOUNTS_OUTSIDE";
const OWN = ["--mount", "--propagation", "private"];

/** Whether this process has a mount namespace that `rerunInOwnMounts` made. */
export function hasOwnMounts(): boolean {
  const outside = process.env[OUTSIDE];
  return outside !== undefined && outside !== mountsOf();
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
