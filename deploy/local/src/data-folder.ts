import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isRunning, type ProcessIdentity, processIdentity } from "@shipping/local/servers/process-identity";

/** The data folder of a running platform, locked for this process. */
export interface DataFolder {
  path: string;
  /** Returns the content of one of its small secret files, which `make` creates the first time. */
  keep(name: string, make: () => string): Promise<string>;
  /**
   * Writes a JSON file (mode 0600) that others read while the platform runs. It is replaced by a rename, so that readers never see half of
   * it.
   */
  publish(name: string, value: unknown): Promise<void>;
  release(): Promise<void>;
}

const LOCK = "platform.pid";

/** Locks the folder for this process. The lock of a dead process is ignored. */
export async function takeDataFolder(folder: string): Promise<DataFolder> {
  const path = resolve(folder);
  await mkdir(path, { recursive: true, mode: 0o711 });
  await lock(path);
  return {
    path,
    keep: (name, make) => keep(join(path, name), make),
    publish: (name, value) => publishText(join(path, name), `${JSON.stringify(value, null, 2)}\n`),
    release: () => rm(join(path, LOCK), { force: true }),
  };
}

async function lock(path: string): Promise<void> {
  const file = join(path, LOCK);
  const mine = JSON.stringify(processIdentity(process.pid));
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await createNew(file, mine)) return;
    const holder = parseHolder(await readFile(file, "utf8").catch(() => ""));
    if (holder && isRunning(holder)) {
      throw new Error(`The data folder ${path} is in use by the platform with process ID ${holder.pid}.`);
    }
    await rm(file, { force: true });
  }
  throw new Error(`The data folder ${path} is being opened by another process. Try again.`);
}

async function createNew(file: string, content: string): Promise<boolean> {
  try {
    await writeFile(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function parseHolder(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as ProcessIdentity;
    return Number.isInteger(pid) && pid > 0 ? { pid, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the content of a small secret file (mode 0600), which `make` creates the first time. */
export async function keep(file: string, make: () => string): Promise<string> {
  const kept = await readFile(file, "utf8").catch(() => "");
  if (kept) return kept;
  await publishText(file, make());
  return readFile(file, "utf8");
}

async function publishText(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  const handle = await open(draft, "wx", 0o600);
  await handle.writeFile(text);
  await handle.sync();
  await handle.close();
  await rename(draft, file);
}

/** Returns the value of `SECRETS_KEYS` for this data folder, created at the first start. */
export function secretsKeys(folder: DataFolder): Promise<string> {
  return folder.keep("secrets.key", () => `local:${randomBytes(32).toString("base64")}`);
}
