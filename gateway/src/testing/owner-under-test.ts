import { fileURLToPath } from "node:url";
import { createClient, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import type { Caller, Claim } from "@shipping/kit/caller";
import { createLedger } from "@shipping/kit/ledger/ledger";
import type { Database } from "@shipping/kit/postgres/database";
import { testDatabase } from "@shipping/kit/testing/database";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql from "sql-template-tag";

const directory = fileURLToPath(new URL("./owner/prisma", import.meta.url));

/** An execution that the owner has committed. */
export interface Execution {
  content: string;
  token: bigint;
}

/** A service with the real ledger and a single write, which records its execution. */
export async function ownerUnderTest() {
  const { db, drop } = await ownerDatabase();
  return { ...ownerOn(db), drop };
}

export const ownerDatabase = () => testDatabase({ directory });

/** The same service on a given database. */
export function ownerOn(db: Database) {
  const ledger = createLedger(db);
  const asked: string[] = [];
  let unreachable: Error | undefined;
  const answerOrFail: Interceptor = (next) => async (call) => {
    asked.push(call.method.name);
    if (unreachable) throw unreachable;
    return next(call);
  };
  const transport = createRouterTransport(ledger.routes, { transport: { interceptors: [answerOrFail] } });

  return {
    client: createClient(LedgerService, transport),
    /** The names of the ledger's RPCs so far. */
    asked,
    /** Makes the ledger's RPCs fail with this error; undefined makes them succeed again. */
    failWith(error: Error | undefined) {
      unreachable = error;
    },
    async write(caller: Caller, claim: Claim, content: string): Promise<WriteOutcome> {
      const snapshot = { status: 201, body: Buffer.from(JSON.stringify({ content, token: String(claim.token) })) };
      const write = { caller, claim, snapshot };
      const statement = sql`
        WITH ${ledger.claim([write])},
        executed AS (
          INSERT INTO executions (account_id, environment, content, token)
          SELECT ${caller.accountId}, ${caller.environment}, ${content}, ${claim.token} FROM claim
        )
        SELECT ordinal FROM claim`;
      const [outcome] = await ledger.executeCreations([write], statement);
      return outcome!;
    },
    executions({ accountId, environment }: Caller): Promise<Execution[]> {
      return db.run(sql`
        SELECT content, token FROM executions
        WHERE account_id = ${accountId} AND environment = ${environment} ORDER BY token`);
    },
    /** Restores the owner to its state before this caller's writes. */
    async forget({ accountId }: Caller): Promise<void> {
      await db.run(sql`
        WITH results AS (DELETE FROM ledger WHERE account_id = ${accountId})
        DELETE FROM executions WHERE account_id = ${accountId}`);
    },
  };
}
