import { hostname } from "node:os";
import type { ConnectRouter } from "@connectrpc/connect";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import sql, { type Sql } from "sql-template-tag";
import { checkDerived, type DerivedRows } from "../derived/derived-rows.js";
import { fail } from "../errors.js";
import { countRows, type Outbox } from "../ledger/outbox.js";
import type { Database } from "../postgres/database.js";
import { buildInfo } from "../process/config.js";
import { type AccountData, countInFlight, eraseBatch, exportPage } from "./account-data.js";
import { checkDatabase, readDatabaseServer } from "./check-database.js";
import type { Finding } from "./finding.js";

/** The data that an owner provides to its operator. */
export interface OwnerOperations {
  db: Database;
  /** Set if the owner publishes events. */
  outbox?: Pick<Outbox, "lag">;
  /** A statement that counts what belongs to an account: rows of `kind`, `environment` and `count`. */
  countResources(accountId: string): Sql;
  /** The description of everything that it stores about an account. */
  accountData: AccountData;
  /** The folder with its schema and migrations. */
  migrations: string;
  /** The derived rows that it keeps right. */
  derived?: readonly DerivedRows[];
  /** Checks of what only the owner knows, besides its database. */
  checks?: readonly (() => Promise<Finding> | Finding)[];
}

/** An operator waits for it, so a page is larger than those of the slow walk. */
const DERIVED_PAGE = 500;

/** Serves OwnerOperationsService. */
export function ownerOperationsRoutes(router: ConnectRouter, owner: OwnerOperations): void {
  const { db, outbox, countResources, accountData, migrations, derived = [], checks = [] } = owner;
  router.service(OwnerOperationsService, {
    async getOutbox() {
      if (!outbox) throw fail("not_found", "This part publishes no events.");
      return readOutbox(db, outbox);
    },
    async countResources({ accountId }) {
      return { counts: await db.run<{ kind: string; environment: string; count: bigint }>(countResources(accountId)) };
    },
    async countInFlight({ accountId }) {
      return { count: BigInt(await countInFlight(db, accountData, accountId)) };
    },
    exportAccount: (page) => exportPage(db, accountData, page),
    async eraseAccount(batch) {
      const { rows, ...erased } = await eraseBatch(db, accountData, batch);
      return { ...erased, rows: BigInt(rows) };
    },
    async checkServers() {
      const findings = await Promise.all([checkDatabase(db, migrations), ...checks.map((check) => check())]);
      const databaseServer = await readDatabaseServer(db);
      return { findings, ...(databaseServer && { databaseServer }) };
    },
    checkDerived: ({ cursor, repair }) => checkDerived(derived, { cursor, repair, limit: DERIVED_PAGE }),
    getBuild: () => ({
      ...buildInfo(),
      process: `${hostname()}:${process.pid}`,
      maxDatabaseConnections: db.maxConnections,
    }),
  });
}

async function readOutbox(db: Database, outbox: Pick<Outbox, "lag">) {
  const { oldestSeconds, ...backlog } = await outbox.lag();
  const [row] = await db.run<{ unconfirmed: number; oldestEventId: string | null }>(sql`
    SELECT ${countRows(sql`published_at IS NOT NULL`)} AS unconfirmed,
      (SELECT event_id FROM outbox WHERE published_at IS NULL ORDER BY id LIMIT 1) AS "oldestEventId"`);
  const { unconfirmed, oldestEventId } = row!;
  return { ...backlog, unconfirmed, ...(oldestEventId !== null && { oldestSeconds, oldestEventId }) };
}
