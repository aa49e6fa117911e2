import { create } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import {
  ConflictSchema,
  SnapshotSchema,
  StaleSchema,
  type WriteOutcome,
  WriteOutcomeSchema,
} from "@shipping/proto/shipping/common/v1/common_pb";
import {
  LedgerService,
  ReadResponseSchema,
  ResolveResponseSchema,
  StoredResultSchema,
} from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import sql, { type Sql } from "sql-template-tag";
import { type Caller, type Claim, callerOf } from "./caller.js";
import type { Database } from "./database.js";
import { ownedSql } from "./owned.js";

/** The answer of a write as its owner rendered it: HTTP status and the JSON bytes of `data`. */
export interface Rendered {
  status: number;
  body: Uint8Array;
}

/** What a stored body belongs to. */
export interface LedgerContext {
  accountId: string;
  environment: string;
  idempotencyKey: string;
}

/** Turns bodies into what is stored, and back: for bodies that hold a secret. */
export interface LedgerCodec {
  seal(body: Uint8Array, context: LedgerContext): Uint8Array;
  open(stored: Uint8Array, context: LedgerContext): Uint8Array;
}

interface LedgerRow {
  token: bigint;
  kind: "result" | "tombstone";
  fingerprint: Buffer;
  status: number;
  body: Buffer;
}

/** The results of an owner's writes, each stored by the operation's own statement. */
export interface Ledger {
  /** The CTE `claim` of a creation: takes the key unless a result or a tombstone of this or a later claim holds it. */
  claim(caller: Caller, claim: Claim, snapshot: Rendered): Sql;
  /** The CTE `claim` of a change of state: the same, but only if `source` (`FROM target`) has a row. */
  claimFrom(source: Sql, caller: Caller, claim: Claim, snapshot: Rendered): Sql;
  /**
   * Runs the operation's statement, which must end in `SELECT … FROM claim`. A row says that it executed; none, that the key was
   * taken, and a second statement reads by whom, since the first cannot see the winner. Undefined: neither, the target has changed.
   */
  execute(caller: Caller, claim: Claim, statement: Sql, snapshot: Rendered): Promise<WriteOutcome | undefined>;
  /** The same for a creation, which has no target: its key was free or is taken. */
  executeCreation(caller: Caller, claim: Claim, statement: Sql, snapshot: Rendered): Promise<WriteOutcome>;
  /** Serves LedgerService. */
  routes(router: ConnectRouter): void;
}

const plain: LedgerCodec = { seal: (body) => body, open: (stored) => stored };

/** The ledger in an owner's database. Its bodies pass through `codec` on their way in and out. */
export function createLedger(db: Database, codec: LedgerCodec = plain): Ledger {
  const contextOf = (caller: Caller, idempotencyKey: string): LedgerContext => ({ ...caller, idempotencyKey });

  function claimFrom(source: Sql, caller: Caller, claim: Claim, snapshot: Rendered): Sql {
    const body = codec.seal(snapshot.body, contextOf(caller, claim.idempotencyKey));
    return sql`
      INSERT INTO ledger AS held (account_id, environment, idempotency_key, token, kind, fingerprint, status, body)
      SELECT ${caller.accountId}, ${caller.environment}, ${claim.idempotencyKey}, ${claim.token}, 'result',
        ${claim.fingerprint}, ${snapshot.status}, ${body}
      ${source}
      ON CONFLICT (account_id, environment, idempotency_key) DO UPDATE
        SET token = excluded.token, kind = excluded.kind, fingerprint = excluded.fingerprint,
          status = excluded.status, body = excluded.body, created_at = excluded.created_at
        WHERE held.kind = 'tombstone' AND held.token < excluded.token
      RETURNING token`;
  }

  async function read(caller: Caller, idempotencyKey: string): Promise<LedgerRow | undefined> {
    const rows = await db.run<LedgerRow>(sql`
      SELECT token, kind, fingerprint, status, body FROM ledger
      WHERE ${ownedSql(caller)} AND idempotency_key = ${idempotencyKey}`);
    return rows[0];
  }

  async function execute(caller: Caller, claim: Claim, statement: Sql, snapshot: Rendered) {
    const executed = await db.run(statement);
    if (executed.length > 0) return snapshotOutcome({ ...snapshot, replayed: false });
    const row = await read(caller, claim.idempotencyKey);
    if (row?.kind === "result") {
      if (!row.fingerprint.equals(claim.fingerprint)) return conflictOutcome(row.fingerprint);
      const body = codec.open(row.body, contextOf(caller, claim.idempotencyKey));
      return snapshotOutcome({ status: row.status, body, replayed: true });
    }
    return row && row.token >= claim.token ? staleOutcome() : undefined;
  }

  async function executeCreation(...write: Parameters<Ledger["execute"]>): Promise<WriteOutcome> {
    const outcome = await execute(...write);
    if (!outcome) throw new Error("A creation's statement yielded neither a row nor the holder of its key.");
    return outcome;
  }

  function stored(row: LedgerRow | undefined, caller: Caller, idempotencyKey: string) {
    if (row?.kind !== "result") return {};
    const body = codec.open(row.body, contextOf(caller, idempotencyKey));
    const snapshot = create(SnapshotSchema, { status: row.status, body, replayed: true });
    return { result: create(StoredResultSchema, { snapshot, fingerprint: row.fingerprint }) };
  }

  // Blocks behind a running execution of the key on its unique index, so "still running" is never taken for "dead".
  async function fence(caller: Caller, idempotencyKey: string, token: bigint): Promise<void> {
    await db.run(sql`
      INSERT INTO ledger AS held (account_id, environment, idempotency_key, token, kind)
      VALUES (${caller.accountId}, ${caller.environment}, ${idempotencyKey}, ${token}, 'tombstone')
      ON CONFLICT (account_id, environment, idempotency_key) DO UPDATE SET token = excluded.token
        WHERE held.kind = 'tombstone' AND held.token < excluded.token`);
  }

  function routes(router: ConnectRouter): void {
    router.service(LedgerService, {
      async read(request) {
        const caller = callerOf(request);
        const row = await read(caller, request.idempotencyKey);
        return create(ReadResponseSchema, stored(row, caller, request.idempotencyKey));
      },
      async resolve(request) {
        const caller = callerOf(request);
        await fence(caller, request.idempotencyKey, request.token);
        const row = await read(caller, request.idempotencyKey);
        const { result } = stored(row, caller, request.idempotencyKey);
        return create(ResolveResponseSchema, result ? { committed: result } : {});
      },
    });
  }

  const claim: Ledger["claim"] = (caller, held, snapshot) => claimFrom(sql``, caller, held, snapshot);
  return { claim, claimFrom, execute, executeCreation, routes };
}

/** Whether this very call executed the write: then its event is to be published. */
export function executedNow({ outcome }: WriteOutcome): boolean {
  return outcome.case === "snapshot" && !outcome.value.replayed;
}

function snapshotOutcome(value: Rendered & { replayed: boolean }): WriteOutcome {
  return create(WriteOutcomeSchema, { outcome: { case: "snapshot", value: create(SnapshotSchema, value) } });
}

function conflictOutcome(fingerprint: Uint8Array): WriteOutcome {
  return create(WriteOutcomeSchema, { outcome: { case: "conflict", value: create(ConflictSchema, { fingerprint }) } });
}

function staleOutcome(): WriteOutcome {
  return create(WriteOutcomeSchema, { outcome: { case: "stale", value: create(StaleSchema) } });
}
