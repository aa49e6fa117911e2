import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { floorApp } from "./app.js";
import { floorSchema } from "./schema.js";

// The floor as a process of its own, on a PostgreSQL of its own with the platform's settings. It prints the URLs of both as a line of JSON, and
// ends when its standard input does, so that it also ends with a killed benchmark.
const folder = await mkdtemp(join(tmpdir(), "shipping-floor-"));
await chmod(folder, 0o755);
process.on("SIGINT", () => {});
process.stdout.on("error", () => {});
const released = once(process.stdin.resume(), "end");
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
try {
  const postgresUrl = postgres.url("postgres");
  const db = openDatabase(postgresUrl, { log: silentLog() });
  await db.pool.query(floorSchema);
  const server = createServer(floorApp(db)).listen(0, "127.0.0.1");
  await once(server, "listening");
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port, postgresUrl }));
  await released;
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();
