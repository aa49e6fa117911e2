import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The servers of a pair, by their names in `cluster.json`, and the folders of their data. */
export const dataFolders = { "postgres-1": "postgres", "postgres-2": "postgres-2" } as const;

export type ServerName = keyof typeof dataFolders;

/** Where the address of the database leads. */
export interface Target {
  server: ServerName;
  port: number;
}

/** The file in a data folder that says it. */
export const addressFile = (dataDir: string) => join(dataDir, "postgres-address.json");

/** Reads it; undefined where there is none. */
export function readTarget(file: string): Target | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Target;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Moves the address: the next connection goes to `target`. Those that are open stay where they are, as with a Service of Kubernetes. */
export function moveAddress(dataDir: string, target: Target): void {
  const file = addressFile(dataDir);
  writeFileSync(`${file}.new`, JSON.stringify(target), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
