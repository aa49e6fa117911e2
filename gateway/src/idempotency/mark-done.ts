import { backgroundBatch } from "@shipping/kit/postgres/background-batch";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import { createInFlight } from "@shipping/kit/process/in-flight";
import sql from "sql-template-tag";
import { byKey, keyColumns, type RegistryDeps, type RegistryKey } from "./registry.js";

/** Marks the claim with this token as done. `fingerprint` is that of the request whose result the ledger holds. */
export interface DoneMark extends RegistryKey {
  token: bigint;
  fingerprint: Uint8Array;
}

export type DoneMarks = ReturnType<typeof createDoneMarks>;

type Deps = Pick<RegistryDeps, "db" | "log">;

/** Marks claims as done, unless they were taken over. */
export async function markDone(deps: Pick<Deps, "db">, marks: readonly DoneMark[]): Promise<void> {
  const rows = marks.toSorted(byKey).map(({ caller, idempotencyKey, token, fingerprint }) => {
    const { accountId, environment } = caller;
    return { accountId, environment, idempotencyKey, token, fingerprint };
  });
  await deps.db.run(sql`
    UPDATE idempotency_registry AS registry
    SET state = 'done', fingerprint = given.fingerprint, lease_until = NULL
    FROM ${unnestRows(markColumns, rows)}
    WHERE (registry.account_id, registry.environment, registry.idempotency_key) =
        (given.account_id, given.environment, given.idempotency_key)
      AND registry.token = given.token AND registry.state = 'claimed'`);
}

const markColumns = { ...keyColumns, token: "bigint", fingerprint: "bytea" } as const satisfies Columns;

/** Writes marks in the background, in batches. */
export function createDoneMarks({ db, log }: Deps) {
  const inFlight = createInFlight();
  const write = backgroundBatch<DoneMark>({
    async run(marks) {
      await markDone({ db }, marks).catch((err) => {
        log.warn(
          { err, marks: marks.length },
          "done marks lost: these claims stay open until the sweeper settles them",
        );
      });
    },
  });
  return {
    /** Queues a mark. Callers do not wait for it, because the owner's ledger is authoritative. */
    mark: (mark: DoneMark): void => void inFlight.add(write(mark)),
    /** Resolves when all marks are written. */
    flush: () => inFlight.idle(),
  };
}
