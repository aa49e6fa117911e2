import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
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

const env = { ...process.env, TSX_TSCONFIG_PATH: fileURLToPath(new URL("../gateway/tsconfig.json", import.meta.url)) };
const stacks = new Map<string | undefined, Promise<string>>();

/** Starts `stack-process.ts`, and resolves with what it prints. */
async function startStack(databaseUrl: string): Promise<string> {
  const stack = spawn(process.execPath, [...process.execArgv, "stack-process.ts"], {
    env: { ...env, TEST_DATABASE_URL: databaseUrl },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(stack, "exit");
  stops.push(async () => {
    stack.stdin.end();
    await exited;
  });
  const said = await Promise.race([once(createInterface(stack.stdout), "line"), exited.then(() => undefined)]);
  if (!said) throw new Error("Its process ended.");
  return said[0];
}

/** Answers at `/WORKER` where the platform is that the test files of a worker share, which is started when it is first asked for. */
async function serveStacks(databaseUrl: string): Promise<string> {
  const server = createServer(async ({ url }, response) => {
    const started = stacks.get(url) ?? startStack(databaseUrl);
    stacks.set(url, started);
    await started.then(
      (shared) => response.end(shared),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

// Ctrl-C in a terminal reaches this process too, and nobody may be left to read what it prints.
process.on("SIGINT", () => {});
process.stdout.on("error", () => {});
const released = once(process.stdin.resume(), "end");
try {
  const nats = TEST_NATS_URL ?? (await startNats());
  const database = TEST_DATABASE_URL ?? (await startPostgres());
  const stacksUrl = await serveStacks(database);
  console.log(JSON.stringify({ TEST_DATABASE_URL: database, TEST_NATS_URL: nats, TEST_STACKS_URL: stacksUrl }));
  await released;
} finally {
  // What was started last stops first: platforms before their database server.
  for (const stop of stops.reverse()) await stop();
  await rm(folder, { recursive: true });
}
