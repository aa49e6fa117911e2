import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { share } from "../share.js";

const run = promisify(execFile);

/** The file of the client, built and packed as it would be published, once for all tests. */
export async function packedClient(): Promise<string> {
  const { shared } = await share<{ tarball: string }>("client", "all");
  return shared.tarball;
}

/** Unpacks it into a folder's `node_modules`, as an installation would. */
export async function installPacked(tarball: string, folder: string): Promise<void> {
  const target = join(folder, "node_modules/shipping-client");
  await mkdir(target, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", target, "--strip-components=1"]);
}
