import { backgroundBatch } from "@shipping/kit/postgres/micro-batch";
import { createInFlight } from "@shipping/kit/process/in-flight";
import sql from "sql-template-tag";
import type { RegistryDeps, RegistryKey } from "./registry.js";

/** Says that the claim with this token has a result, that of the request with this fingerprint. */
export interface DoneMark extends RegistryKey {
  token: bigint;
  fingerprint: Uint8Array;
}

export type DoneMarks = ReturnType<typeof createDoneMarks>;

type Deps = Pick<RegistryDeps, "db" | "log">;

/** Marks claims as done, unless they were taken over. */
export async function markDone(deps: Pick<Deps, "db">, marks: readonly DoneMark[]): Promise<void> {
  // Two gateways can have marks for the same keys. All statements lock rows in the same order, so that batches cannot deadlock.
  await deps.db.run(sql`
    WITH mark AS (
      SELECT * FROM unnest(
        ${marks.map((mark) => mark.caller.accountId)}::text[], ${marks.map((mark) => mark.caller.environment)}::text[],
        ${marks.map((mark) => mark.idempotencyKey)}::text[], ${marks.map((mark) => mark.token)}::bigint[],
        ${marks.map((mark) => mark.fingerprint)}::bytea[]
      ) AS mark (account_id, environment, idempotency_key, token, fingerprint)
    ), open_claim AS (
      SELECT account_id, environment, idempotency_key, mark.fingerprint
      FROM idempotency_registry AS registry JOIN mark USING (account_id, environment, idempotency_key)
      WHERE registry.token = mark.token AND registry.state = 'claimed'
      ORDER BY account_id, environment, idempotency_key
      FOR UPDATE OF registry
    )
    UPDATE idempotency_registry AS registry
    SET state = 'done', fingerprint = open_claim.fingerprint, lease_until = NULL
    FROM open_claim
    WHERE (registry.account_id, registry.environment, registry.idempotency_key) =
      (open_claim.account_id, open_claim.environment, open_claim.idempotency_key)`);
}

/** Writes marks in the background, in batches. */
export function createDoneMarks({ db, log }: Deps) {
  const inFlight = createInFlight();
  const write = backgroundBatch<DoneMark>(async (marks) => {
    await markDone({ db }, marks).catch((err) => {
      log.warn({ err, marks: marks.length }, "done marks lost: these claims stay open until the sweeper settles them");
    });
  });
  return {
    /** Nobody waits for the mark, because the owner's ledger is authoritative. */
    mark: (mark: DoneMark): void => void inFlight.add(write(mark)),
    /** Resolves when all marks are written. */
    flush: () => inFlight.idle(),
  };
}
