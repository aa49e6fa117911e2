import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { register } from "prom-client";
import sql from "sql-template-tag";
import { z } from "zod";
import { readConfig, serviceSettings } from "../process/config.js";
import { createLog, silentLog } from "../process/log.js";
import { RELEASE } from "../release.js";
import { connectTo } from "../rpc/client.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { ownerOperationsRoutes } from "./owner-operations.js";
import { missingIn, type ServiceProcess, startService } from "./run-service.js";

const migrations = join(import.meta.dirname, "../testing/fixtures/prisma");
let owned: TestDatabase;
beforeAll(async () => {
  owned = await testDatabase({ directory: migrations });
});
// A process starts one part, and its own measurements begin once.
afterEach(() => register.clear());
afterAll(() => owned.drop());

const configOf = (env: Record<string, string>) =>
  readConfig(z.object(serviceSettings), {
    PORT: "0",
    OPS_PORT: "0",
    HOST: "127.0.0.1",
    DATABASE_URL: owned.url,
    ...env,
  });

/**
 * Starts a part without RPCs. Returns the number of its connections when it reported that it was serving, the number of those for lists,
 * and its warnings.
 */
async function connectionsWhenServing(env: Record<string, string>) {
  let lists = 0;
  const lines: string[] = [];
  const log = createLog({ part: "parcels", destination: { write: (line) => void lines.push(line) } });
  const start: ServiceProcess["start"] = async ({ listPool }) => {
    lists = listPool.totalCount;
    return { routes: () => {}, peers: {}, stop: async () => {} };
  };
  const options = { part: "parcels", config: configOf(env), log, tls: undefined, migrations, start };
  const started = await startService(options, new AbortController().signal);
  const connections = await owned.db.run(
    sql`SELECT FROM pg_stat_activity WHERE application_name = ${`parcels ${RELEASE}`}`,
  );
  const [{ database_connections, max_database_connections }, ...more] = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "serving");
  expect([more, max_database_connections]).toEqual([[], Number(env.DATABASE_POOL)]);
  expect(database_connections).toBe(connections.length);
  await started.stop(true);
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "warn");
  return { connections: connections.length, lists, warnings };
}

test("a part says which release and commit it runs, to Prometheus and to the operator", async () => {
  const build = { BUILD_REVISION: "abcdef0" };
  const restore = jest.replaceProperty(process, "env", { ...process.env, ...build });
  const lines: string[] = [];
  const log = createLog({ part: "parcels", destination: { write: (line) => void lines.push(line) } });
  const start: ServiceProcess["start"] = async (db) => ({
    routes: (router) =>
      ownerOperationsRoutes(router, {
        ...{ db, migrations, countResources: () => sql`SELECT`, accountData: { tables: [], kept: {} } },
      }),
    peers: {},
    stop: async () => {},
  });
  const options = { part: "parcels", config: configOf(build), log, tls: undefined, migrations, start };
  const started = await startService(options, new AbortController().signal);
  const { port, ops_port } = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === "serving");
  const shown = await (await fetch(`http://127.0.0.1:${ops_port}/metrics`)).text();
  const [info = ""] = /^build_info.* 1$/m.exec(shown) ?? [];
  for (const label of [`version="${RELEASE}"`, 'revision="abcdef0"', 'part="parcels"']) expect(info).toContain(label);
  const transport = connectTo({ urls: `http://127.0.0.1:${port}`, log: silentLog() });
  const answer = await createClient(OwnerOperationsService, transport).getBuild({});
  expect(answer).toMatchObject({ version: RELEASE, revision: "abcdef0", process: `${hostname()}:${process.pid}` });
  await transport.close();
  await started.stop(true);
  restore.restore();
});

test("a part refuses to start on a schema that needs a newer release, and a part that runs goes on", async () => {
  const newer = await testDatabase({ directory: migrations });
  const start: ServiceProcess["start"] = async () => ({ routes: () => {}, peers: {}, stop: async () => {} });
  const config = configOf({ DATABASE_URL: newer.url });
  const options = { part: "parcels", config, log: silentLog(), tls: undefined, migrations, start };
  const started = await startService(options, new AbortController().signal);
  await newer.db.run(sql`COMMENT ON TABLE _prisma_migrations IS 'release 1000.1.0, needs 1000.0.0'`);
  expect(await missingIn(newer.db, migrations)).toBe(undefined);
  await started.stop(true);
  register.clear();
  await expect(startService(options, new AbortController().signal)).rejects.toThrow(
    `The schema of this database needs release 1000.0.0 or newer, and this is ${RELEASE}: deploy 1000.0.0 or newer.`,
  );
  await newer.drop();
});

test("a part has opened all its connections when it reports that it is serving, so that the first requests need not wait for them", async () => {
  expect(await connectionsWhenServing({ DATABASE_POOL: "5" })).toEqual({ connections: 5, lists: 2, warnings: [] });
});

test("a part whose server has fewer connections starts with those, lists included, and logs it once", async () => {
  const role = `few_${randomBytes(4).toString("hex")}`;
  await owned.db.pool.query(
    `CREATE ROLE ${role} LOGIN PASSWORD 'p' CONNECTION LIMIT 3; GRANT pg_read_all_data TO ${role}`,
  );
  const url = new URL(owned.url);
  [url.username, url.password] = [role, "p"];
  const { connections, lists, warnings } = await connectionsWhenServing({ DATABASE_URL: url.href, DATABASE_POOL: "5" });
  expect([connections, lists]).toEqual([3, 2]);
  expect(warnings).toMatchObject([
    { open: 1, max: 3, err: { message: expect.stringContaining("too many connections") } },
  ]);
  await owned.db.pool.query(`DROP ROLE ${role}`);
});

test("a part whose server has few connections left starts with two, leaves the others to processes that have none, and says so", async () => {
  const database = new URL(owned.url).pathname.slice(1);
  await owned.db.pool.query(`
    CREATE VIEW public.pg_stat_activity AS
      SELECT application_name, 1 AS datid FROM pg_catalog.pg_stat_activity
      UNION ALL SELECT '', generate_series(1, current_setting('max_connections')::int - 50);
    ALTER DATABASE ${database} SET search_path = public, pg_catalog`);
  const { connections, lists, warnings } = await connectionsWhenServing({ DATABASE_POOL: "6" });
  expect([connections, lists]).toEqual([2, 1]);
  const message = expect.stringMatching(/^The server has \d+ of at most \d+ connections\. The last \d+ are left/);
  expect(warnings).toMatchObject([
    { open: 1, max: 2, err: { message } },
    { open: 1, max: 4, err: { message } },
  ]);
  await owned.db.pool.query(`ALTER DATABASE ${database} RESET search_path; DROP VIEW public.pg_stat_activity`);
});
