import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { type WriteOutcome, WriteOutcomeSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { type Caller, type Claim, requireCaller } from "../caller.js";
import { type Columns, unnestRows } from "../postgres/columns.js";
import type { Database } from "../postgres/database.js";
import { byOrdinal, type WithOrdinal } from "../postgres/micro-batch.js";
import { readOwned } from "../postgres/owned/read-owned.js";

/** The answer of a write as its owner rendered it: HTTP status and the JSON bytes of `data`. */
export interface Rendered {
  status: number;
  body: Uint8Array;
}

/** The caller and key that a stored body belongs to. */
export interface LedgerContext extends Caller {
  idempotencyKey: string;
}

/** Encrypts bodies that hold a secret before they are stored, and decrypts them again. */
export interface LedgerCodec {
  seal(body: Uint8Array, context: LedgerContext): Uint8Array;
  open(stored: Uint8Array, context: LedgerContext): Uint8Array;
}

/** A write with its claim and the answer that it will return. */
export interface Write {
  caller: Caller;
  claim: Claim;
  snapshot: Rendered;
}

interface LedgerRow {
  token: bigint;
  kind: "result" | "tombstone";
  fingerprint: Buffer;
  status: number;
  body: Buffer;
}

/** The results of an owner's writes, each stored by the operation's own statement. */
export type Ledger = ReturnType<typeof createLedger>;

/** Identifies the key of a write: one statement must not hold two writes of the same key. */
export function keyOfWrite({ caller, claim }: Pick<Write, "caller" | "claim">): string {
  return `${caller.accountId} ${caller.environment} ${claim.idempotencyKey}`;
}

const wantedColumns = {
  accountId: "text",
  environment: "text",
  idempotencyKey: "text",
  token: "bigint",
  fingerprint: "bytea",
  status: "integer",
  body: "bytea",
} as const satisfies Columns;

const readHolder = readOwned<LedgerRow>(
  "idempotency_key",
  (askedCondition) => sql`SELECT token, kind, fingerprint, status, body FROM ledger WHERE ${askedCondition}`,
);

const plain: LedgerCodec = { seal: (body) => body, open: (stored) => stored };

/** The ledger in an owner's database. Its bodies pass through `codec` on their way in and out. */
export function createLedger(db: Database, codec: LedgerCodec = plain) {
  const deps = { db };
  const toContext = (caller: Caller, idempotencyKey: string): LedgerContext => ({ ...caller, idempotencyKey });
  const toWanted = ({ caller, claim, snapshot: { status, body: plainBody } }: Write) => {
    const { accountId, environment } = caller;
    const { idempotencyKey, token, fingerprint } = claim;
    const body = codec.seal(plainBody, toContext(caller, idempotencyKey));
    return { accountId, environment, idempotencyKey, token, fingerprint, status, body };
  };

  /**
   * Returns the CTEs that take the keys of the writes. `claim (ordinal, account_id, environment)` has one row for each write to execute; `ordinal` is
   * its number from 1. The other writes have no row: their key is taken by a result, or by a tombstone of the same or a later claim, or they fail
   * `condition`, a WHERE clause on `wanted (account_id, environment, idempotency_key, …, ordinal)`.
   */
  function claim(writes: readonly Write[], condition: Sql = empty): Sql {
    // The writes are sorted, so that statements do not deadlock on each other's keys.
    return sql`
      wanted AS (
        SELECT * FROM ${unnestRows(wantedColumns, writes.map(toWanted))}),
      taken AS (
        INSERT INTO ledger AS existing (account_id, environment, idempotency_key, token, kind, fingerprint, status, body)
        SELECT account_id, environment, idempotency_key, token, 'result', fingerprint, status, body
        FROM wanted ${condition}
        ORDER BY account_id, environment, idempotency_key
        ON CONFLICT (account_id, environment, idempotency_key) DO UPDATE
          SET token = excluded.token, kind = excluded.kind, fingerprint = excluded.fingerprint,
            status = excluded.status, body = excluded.body, created_at = excluded.created_at
          WHERE existing.kind = 'tombstone' AND existing.token < excluded.token
        RETURNING account_id, environment, idempotency_key),
      claim AS (
        SELECT ordinal, account_id, environment FROM taken JOIN wanted USING (account_id, environment, idempotency_key))`;
  }

  /**
   * Runs the operation's statement, which must end in `SELECT ordinal FROM claim`. A write whose ordinal is returned was executed. For the others, a
   * second statement reads which write holds the key, because the first cannot see it. If no write holds it, the condition failed, and the outcome is
   * undefined. Each write has its own promise, so a failed read does not hide the writes that were executed.
   */
  async function execute(writes: readonly Write[], statement: Sql): Promise<Promise<WriteOutcome | undefined>[]> {
    const executed = byOrdinal(await db.run<WithOrdinal>(statement), writes.length);
    return writes.map(async (write, at) =>
      executed[at]
        ? toOutcome({ case: "snapshot", value: { ...write.snapshot, replayed: false } })
        : outcomeOfHolder(write),
    );
  }

  /** Reads the outcome of the write that holds a key, for a write that was not executed; undefined if the key is free. */
  async function outcomeOfHolder({
    caller,
    claim,
  }: Pick<Write, "caller" | "claim">): Promise<WriteOutcome | undefined> {
    const { idempotencyKey, fingerprint, token } = claim;
    const row = await readHolder(deps, { caller, id: idempotencyKey });
    if (row?.kind === "result") {
      if (!row.fingerprint.equals(fingerprint)) {
        return toOutcome({ case: "conflict", value: { fingerprint: row.fingerprint } });
      }
      const body = codec.open(row.body, toContext(caller, idempotencyKey));
      return toOutcome({ case: "snapshot", value: { status: row.status, body, replayed: true } });
    }
    return row && row.token >= token ? toOutcome({ case: "stale", value: {} }) : undefined;
  }

  /** Does what `execute` does, for writes without a condition: each key is either free or taken. */
  async function executeCreations(writes: readonly Write[], statement: Sql): Promise<Promise<WriteOutcome>[]> {
    const outcomes = await execute(writes, statement);
    return outcomes.map(async (holder) => {
      const outcome = await holder;
      if (!outcome) throw new Error("A creation's statement yielded neither a row nor the holder of its key.");
      return outcome;
    });
  }

  function stored(row: LedgerRow | undefined, caller: Caller, idempotencyKey: string) {
    if (row?.kind !== "result") return {};
    const body = codec.open(row.body, toContext(caller, idempotencyKey));
    return { result: { snapshot: { status: row.status, body, replayed: true }, fingerprint: row.fingerprint } };
  }

  // The unique index makes this wait for a running execution of the key, so a running execution is never mistaken for a dead one.
  async function fence(caller: Caller, idempotencyKey: string, token: bigint): Promise<void> {
    await db.run(sql`
      INSERT INTO ledger AS existing (account_id, environment, idempotency_key, token, kind)
      VALUES (${caller.accountId}, ${caller.environment}, ${idempotencyKey}, ${token}, 'tombstone')
      ON CONFLICT (account_id, environment, idempotency_key) DO UPDATE SET token = excluded.token
        WHERE existing.kind = 'tombstone' AND existing.token < excluded.token`);
  }

  function routes(router: ConnectRouter): void {
    router.service(LedgerService, {
      async read(request) {
        const caller = requireCaller(request);
        const row = await readHolder(deps, { caller, id: request.idempotencyKey });
        return stored(row, caller, request.idempotencyKey);
      },
      async resolve(request) {
        const caller = requireCaller(request);
        await fence(caller, request.idempotencyKey, request.token);
        const row = await readHolder(deps, { caller, id: request.idempotencyKey });
        const { result } = stored(row, caller, request.idempotencyKey);
        return result ? { committed: result } : {};
      },
    });
  }

  return { claim, execute, executeCreations, outcomeOfHolder, routes };
}

/** Whether this call executed the write: only then is its event published. */
export function executedNow({ outcome }: WriteOutcome): boolean {
  return outcome.case === "snapshot" && !outcome.value.replayed;
}

function toOutcome(outcome: NonNullable<MessageInitShape<typeof WriteOutcomeSchema>["outcome"]>): WriteOutcome {
  return create(WriteOutcomeSchema, { outcome });
}
