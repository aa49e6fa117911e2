import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { require as requireTypeScript } from "tsx/cjs/api";

declare global {
  /** What the set-up leaves for the teardown to call. */
  var stopTestServers: () => Promise<void>;
}

/** One PostgreSQL for the whole run, handed to the tests as TEST_DATABASE_URL, unless that names one. */
// biome-ignore lint/style/noDefaultExport: Jest calls the default export.
export default async function globalSetup(): Promise<void> {
  const running: (() => Promise<void>)[] = [];
  globalThis.stopTestServers = async () => {
    for (const stop of running.splice(0)) await stop();
  };
  if (!process.env.TEST_DATABASE_URL) running.push(await startPostgres());
}

async function startPostgres(): Promise<() => Promise<void>> {
  // The set-up is loaded without Jest's module resolution, which is what finds the `.ts` behind an import of `.js`.
  const { startEmbeddedPostgres } = requireTypeScript(
    "../kit/src/embedded-postgres.ts",
    import.meta.url,
  ) as typeof import("../kit/src/embedded-postgres.js");
  const folder = await mkdtemp(join(tmpdir(), "shipping-test-"));
  await chmod(folder, 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  process.env.TEST_DATABASE_URL = postgres.url("postgres");
  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true });
  };
}
