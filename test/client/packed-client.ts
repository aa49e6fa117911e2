import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientPackages } from "@shipping/site/guides/client-packages";

const run = promisify(execFile);

/** The file of the client, as it is published, and as the platform serves it. */
export function packedClient(): string {
  const file = clientPackages().find((one) => one.file.endsWith(".tgz"))?.file ?? "";
  return join(import.meta.dirname, "../../site/assets/gen/clients", file);
}

/** Unpacks it into a folder's `node_modules`, as an installation would. */
export async function installPacked(folder: string): Promise<void> {
  const target = join(folder, "node_modules/shipping-client");
  await mkdir(target, { recursive: true });
  await run("tar", ["-xzf", packedClient(), "-C", target, "--strip-components=1"]);
}
