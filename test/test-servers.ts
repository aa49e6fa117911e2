import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NOT_DURABLE } from "@shipping/kit/testing/database";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import { startNatsServer } from "@shipping/local/servers/nats-server";

// The servers of a test run, in a process of their own. It prints their URLs as a line of JSON, and ends when its standard input
// does: so they go when the test run goes, also when that is killed.
const { TEST_DATABASE_URL, TEST_NATS_URL } = process.env;
const folder = await mkdtemp(join(tmpdir(), "shipping-test-"));
await chmod(folder, 0o755);
const stops: (() => Promise<void>)[] = [];

async function startPostgres(): Promise<string> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres"), settings: NOT_DURABLE });
  stops.push(postgres.stop);
  return postgres.url("postgres");
}

async function startNats(): Promise<string | undefined> {
  const say = (line: string) => console.error(line);
  try {
    const program = await findNatsServer({ env: process.env, say });
    const nats = await startNatsServer({ program, dataDir: join(folder, "nats") });
    stops.push(nats.stop);
    return nats.url;
  } catch (error) {
    // The one server that no npm package brings: without it, the tests that need none still run.
    say((error as Error).message);
    return undefined;
  }
}

// Ctrl-C in a terminal reaches this process too, and nobody may be left to read what it prints.
process.on("SIGINT", () => {});
process.stdout.on("error", () => {});
const released = once(process.stdin.resume(), "end");
try {
  const nats = TEST_NATS_URL ?? (await startNats());
  const database = TEST_DATABASE_URL ?? (await startPostgres());
  console.log(JSON.stringify({ TEST_DATABASE_URL: database, TEST_NATS_URL: nats }));
  await released;
} finally {
  await Promise.all(stops.map((stop) => stop()));
  await rm(folder, { recursive: true });
}
