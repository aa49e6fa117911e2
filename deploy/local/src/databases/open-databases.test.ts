import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import type { Running } from "@shipping/kit/process/run-process";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import { localConfig } from "../config.js";
import { takeDataFolder } from "../data-folder.js";
import { openDatabases } from "./open-databases.js";

test("PostgreSQL of one process is started again on its port when it is killed, with what was committed", async () => {
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
