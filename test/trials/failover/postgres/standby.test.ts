import { chmod, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { copyServer, follow, removeServer, restoreCopy } from "./copy-server.js";
import { prepareReplication, promote, STANDBY, untilStreaming, withServer } from "./replication.js";

let folder: string;
let running: EmbeddedPostgres[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "standby-test-"));
  await chmod(folder, 0o755);
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((postgres) => postgres.stop()));
  await rm(folder, { recursive: true });
});

async function start(dataFolder: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, dataFolder), settings });
  running.push(postgres);
  return postgres;
}

describe("a standby", () => {
  test("has what its primary committed, takes no writes until it is promoted, and then all of them", async () => {
    const primary = await start("postgres", { synchronous_standby_names: STANDBY });
    await prepareReplication(primary.url("postgres"), "secret");
    await copyServer({ url: primary.url("postgres"), dataDir: join(folder, "postgres") }, join(folder, "postgres-2"));
    await follow(join(folder, "postgres-2"), "standby", {
      primary_conninfo: `host=127.0.0.1 port=${primary.port} user=${STANDBY} password=secret application_name=${STANDBY}`,
      primary_slot_name: STANDBY,
    });
    const standby = await start("postgres-2");
    await untilStreaming(primary.url("postgres"), "sync");
    await withServer(primary.url("postgres"), async (client) => {
      await client.query("SET synchronous_commit = remote_apply");
      await client.query("CREATE TABLE kept AS SELECT 1 AS one");
    });
    const read = "SELECT one FROM kept";
    await withServer(standby.url("postgres"), async (client) => {
      expect((await client.query(read)).rows).toEqual([{ one: 1 }]);
      await expect(client.query("INSERT INTO kept VALUES (2)")).rejects.toMatchObject({ code: "25006" });
    });
    await primary.stop();
    await promote(standby.url("postgres"));
    await withServer(standby.url("postgres"), (client) => client.query("INSERT INTO kept VALUES (2)"));
    await expect(promote(standby.url("postgres"))).rejects.toThrow("no standby");
  });

  test("that was copied recovers by the archived log, as far as it is told, in the place of what was lost", async () => {
    const archive = join(folder, "archive");
    await mkdir(archive);
    await chmod(archive, 0o777);
    const lost = await start("postgres", { archive_mode: "on", archive_command: `cp %p ${archive}/%f` });
    const copy = join(folder, "copy");
    await copyServer({ url: lost.url("postgres"), dataDir: join(folder, "postgres") }, copy);
    await withServer(lost.url("postgres"), async (client) => {
      await client.query("CREATE TABLE kept AS SELECT 1 AS one");
      await client.query("SELECT pg_create_restore_point('here')");
      await client.query("INSERT INTO kept VALUES (2)");
    });
    await lost.stop();
    await restoreCopy(copy, join(folder, "postgres"));
    await follow(join(folder, "postgres"), "recovery", {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_name: "here",
      recovery_target_action: "promote",
    });
    const restored = await start("postgres");
    await withServer(restored.url("postgres"), async (client) => {
      await client.query("INSERT INTO kept VALUES (3)");
      expect((await client.query("SELECT one FROM kept ORDER BY one")).rows).toEqual([{ one: 1 }, { one: 3 }]);
    });
  });

  test("is deleted as a whole", async () => {
    await (await start("postgres-2")).stop();
    await removeServer(join(folder, "postgres-2"));
    await expect(stat(join(folder, "postgres-2"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});
