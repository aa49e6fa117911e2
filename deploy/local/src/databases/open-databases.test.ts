import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import type { Running } from "@shipping/kit/process/run-process";
import { testDatabase } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import { localConfig } from "../config.js";
import { takeDataFolder } from "../data-folder.js";
import { migrationFolders, parts } from "../parts.js";
import { openDatabases } from "./open-databases.js";

test("PostgreSQL of one process is restarted on its port when it is killed, with all committed data", async () => {
  const path = await mkdtemp(join(tmpdir(), "databases-"));
  const folder = await takeDataFolder(path);
  const opened: Running[] = [];
  const config = localConfig({ DATA_DIR: path });
  const { databases } = await openDatabases({ folder, config, log: silentLog(), opened });
  const { run } = databases.records;
  await run(sql`CREATE TABLE kept AS SELECT 1 AS number`);
  const postmaster = Number.parseInt(await readFile(join(path, "postgres/postmaster.pid"), "utf8"), 10);
  process.kill(postmaster, "SIGKILL");
  await eventually(async () => expect(await run(sql`SELECT number FROM kept`)).toEqual([{ number: 1 }]), {
    withinMs: 30_000,
  });
  for (const each of opened.reverse()) await each.stop();
  await folder.release();
  await rm(path, { recursive: true });
});

test("the start waits for a database that is too busy to accept the first connection of a part", async () => {
  const path = await mkdtemp(join(tmpdir(), "databases-"));
  const folder = await takeDataFolder(path);
  const opened: Running[] = [];
  const clones = await Promise.all(parts.map((part) => testDatabase({ directory: migrationFolders[part] })));
  const { hostname, port } = new URL(clones[0]!.url);
  let connections = 0;
  const proxy = createServer((client) => {
    // The first connections are those of the migrations.
    if (++connections === parts.length + 1) return;
    const server = connect(Number(port), hostname);
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("error", () => other.destroy());
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => proxy.once("listening", resolve));
  const through = clones.map(({ url }) => Object.assign(new URL(url), { port: (proxy.address() as AddressInfo).port }));
  const config = localConfig({
    DATA_DIR: path,
    ...Object.fromEntries(parts.map((part, index) => [`DATABASE_URL_${part.toUpperCase()}`, through[index]!.href])),
  });
  try {
    const { databases } = await openDatabases({ folder, config, log: silentLog(), opened });
    expect(await Promise.all(parts.map((part) => databases[part].run(sql`SELECT 1 AS one`)))).toEqual(
      parts.map(() => [{ one: 1 }]),
    );
    expect(connections).toBe(2 * parts.length + 1);
  } finally {
    for (const each of opened.reverse()) await each.stop();
    proxy.close();
    await Promise.all(clones.map(({ drop }) => drop()));
    await folder.release();
    await rm(path, { recursive: true });
  }
});
