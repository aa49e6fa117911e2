import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Part } from "@shipping/local/parts";
import sql, { raw } from "sql-template-tag";
import type { ClusterUnderTest } from "../../platform/cluster.js";

/** Opens the server of a cluster as its superuser, and copies, loses and restores single databases. */
export async function openCopies(cluster: ClusterUnderTest) {
  const { address } = await cluster.process("postgres");
  const password = (await readFile(join(cluster.dataDir, "postgres.password"), "utf8")).trim();
  const server = openDatabase(`postgres://postgres:${password}@${address}/postgres`, {
    max: 1,
    connectMs: CONNECT_MS,
    log: silentLog(),
  });
  // Copying and dropping databases wait for a checkpoint, which can take minutes on a busy disk.
  Object.assign(server.pool.options, { query_timeout: 0 });
  await server.run(raw("SET statement_timeout = 0"));
  const execute = (statement: string) => server.run(raw(statement));

  /** Runs a function on a database without connections. */
  async function alone(name: string, work: () => Promise<unknown>): Promise<void> {
    await execute(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await eventually(async () => {
      const left = await server.run(
        sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`,
      );
      if (left.length > 0) throw new Error(`${name} still has connections.`);
    });
    await work();
  }

  return {
    async copy(part: Part) {
      await alone(part, () => execute(`CREATE DATABASE copy_of_${part} TEMPLATE ${part} OWNER ${part}`));
      await execute(`ALTER DATABASE ${part} ALLOW_CONNECTIONS true`);
    },
    async loseAndRestore(part: Part) {
      await alone(part, () => execute(`DROP DATABASE ${part}`));
      await execute(`ALTER DATABASE copy_of_${part} RENAME TO ${part}`);
    },
    async bytes(part: Part): Promise<number> {
      const [row] = await server.run<{ bytes: bigint }>(sql`SELECT pg_database_size(${part}) AS bytes`);
      return Number(row!.bytes);
    },
    close: () => server.close(),
  };
}
