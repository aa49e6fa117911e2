import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { addressFile, dataFolders, readTarget } from "./address.js";

/**
 * After the standby was promoted, its data is the platform's: it takes the place of the former primary's, which is kept as
 * `postgres-former`. Nothing runs on the data folder `path` meanwhile.
 */
export async function keepPromoted(path: string): Promise<void> {
  const file = addressFile(path);
  if (readTarget(file)?.server === "postgres-2") {
    const folder = (name: string) => join(path, name);
    const [primary, promoted] = [folder(dataFolders["postgres-1"]), folder(dataFolders["postgres-2"])];
    // What was moved before a crash stays where it is.
    if (await exists(promoted)) {
      if (await exists(primary)) {
        await rm(folder("postgres-former"), { recursive: true, force: true });
        await rename(primary, folder("postgres-former"));
      }
      await rename(promoted, primary);
    }
  }
  await rm(file, { force: true });
}

async function exists(path: string): Promise<boolean> {
  return Boolean(await lstat(path).catch(() => undefined));
}
