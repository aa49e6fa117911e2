import { backgroundBatch } from "@shipping/kit/postgres/micro-batch";
import { createInFlight } from "@shipping/kit/process/in-flight";
import sql from "sql-template-tag";
import type { RegistryDeps, RegistryKey } from "./registry.js";

/** The claim under `token` has a result, that of the request with this fingerprint. */
export interface DoneMark extends RegistryKey {
  token: bigint;
  fingerprint: Uint8Array;
}

/** Done marks on their way to the registry. */
export interface DoneMarks {
  /** Writes the mark in the background: nobody waits for it, since the owner's ledger is the truth. */
  mark(mark: DoneMark): void;
  /** Resolves when no mark is left to be written. */
  flush(): Promise<void>;
}

type Deps = Pick<RegistryDeps, "db" | "log">;

/** Marks claims as done, unless they were taken over. */
export async function markDone(deps: Pick<Deps, "db">, marks: readonly DoneMark[]): Promise<void> {
  // Two gateways can hold marks of the same keys: rows are locked in one order everywhere, or batches would deadlock.
  await deps.db.run(sql`
    WITH mark AS (
      SELECT * FROM unnest(
        ${marks.map((mark) => mark.caller.accountId)}::text[], ${marks.map((mark) => mark.caller.environment)}::text[],
        ${marks.map((mark) => mark.idempotencyKey)}::text[], ${marks.map((mark) => mark.token)}::bigint[],
        ${marks.map((mark) => mark.fingerprint)}::bytea[]
      ) AS mark (account_id, environment, idempotency_key, token, fingerprint)
    ), open_claim AS (
      SELECT account_id, environment, idempotency_key, mark.fingerprint
      FROM idempotency_registry AS held JOIN mark USING (account_id, environment, idempotency_key)
      WHERE held.token = mark.token AND held.state = 'claimed'
      ORDER BY account_id, environment, idempotency_key
      FOR UPDATE OF held
    )
    UPDATE idempotency_registry AS held
    SET state = 'done', fingerprint = open_claim.fingerprint, lease_until = NULL
    FROM open_claim
    WHERE (held.account_id, held.environment, held.idempotency_key) =
      (open_claim.account_id, open_claim.environment, open_claim.idempotency_key)`);
}

/** Writes marks in the background, those of a moment together. */
export function createDoneMarks(deps: Deps): DoneMarks {
  const underWay = createInFlight();
  const write = backgroundBatch<DoneMark>((marks) => markDone(deps, marks).catch((err) => sayLost(err, marks.length)));

  function sayLost(err: unknown, marks: number): void {
    deps.log.warn({ err, marks }, "done marks lost: these claims stay open until the sweeper settles them");
  }

  return {
    mark: (mark) => underWay.add(write(mark)),
    flush: () => underWay.idle(),
  };
}
