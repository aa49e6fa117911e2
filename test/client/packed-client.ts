import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

/** Builds the client and packs it into a folder, as it would be published; yields the file. */
export async function packClient(folder: string): Promise<string> {
  const pack = ["run", "--silent", "pack:client", "--", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root });
  return join(folder, JSON.parse(stdout)[0].filename);
}

/** Unpacks it into a folder's `node_modules`, as an installation would. */
export async function installPacked(tarball: string, folder: string): Promise<void> {
  const target = join(folder, "node_modules/shipping-client");
  await mkdir(target, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
}
