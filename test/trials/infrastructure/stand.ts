import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createDatabases } from "@shipping/local/databases/prepare-databases";
import { mapParts } from "@shipping/local/parts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";

/** A folder that is removed after its servers have stopped, in reverse order. */
export async function withFolder<T>(work: (folder: string, ends: (() => unknown)[]) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-infrastructure-"));
  await chmod(folder, 0o755);
  const ends: (() => unknown)[] = [];
  try {
    return await work(folder, ends);
  } finally {
    for (const end of ends.reverse()) await end();
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Databases {
  postgres: EmbeddedPostgres;
  /** DATABASE_URL_RECORDS and so on. */
  env: Record<string, string>;
}

/** A PostgreSQL server of these settings with a database for each part. */
export async function startDatabases(dataDir: string, settings: Record<string, string>): Promise<Databases> {
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const passwords = mapParts(() => randomBytes(18).toString("base64url"));
  const urls = Object.entries(await createDatabases({ url: postgres.url("postgres"), passwords }));
  const env = Object.fromEntries(urls.map(([part, own]) => [`DATABASE_URL_${part.toUpperCase()}`, own]));
  return { postgres, env };
}

/** Runs a program and returns its status and its output. */
export async function runProgram(args: readonly string[], options: { cwd?: string; env: NodeJS.ProcessEnv }) {
  const { stdout, stderr, code } = await promisify(execFile)(process.execPath, args, options).then(
    (done) => ({ ...done, code: 0 }),
    (error) => error,
  );
  return { status: Number(code), printed: `${stdout}${stderr}` };
}
