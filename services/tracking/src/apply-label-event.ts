import { type Caller, requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { type Columns, columnNames, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { ApplyLabelEventRequest, ApplyLabelEventsRequest } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";
import { rowAfter, trackingColumns } from "./tracking.js";

/** Applies a label event. Idempotent: each holds the whole label, so `label.voided` may come first; a later `created` has no effect. */
export async function applyLabelEvent(deps: ReadDeps, request: ApplyLabelEventRequest) {
  await advanceRecord(deps, changeBy(requireCaller(request), request.event));
  return {};
}

/** Applies many events, which share a statement. */
export async function applyLabelEvents(deps: ReadDeps, { events }: ApplyLabelEventsRequest) {
  const changes = events.map((event) => changeBy(requireCaller({ caller: event }), event));
  await Promise.all(changes.map((change) => advanceRecord(deps, change)));
  return {};
}

function changeBy(caller: Caller, event: Event | undefined): Change {
  const row = event && rowAfter(event);
  if (!row) throw fail("internal_error", "The event is not a label event.");
  return { ...caller, ...row };
}

const changeColumns = { accountId: "text", environment: "text", ...trackingColumns } as const satisfies Columns;

type Change = Row<typeof changeColumns>;

const advanceRecord = microBatchOperation<ReadDeps, Change, void>({
  keyOf: ({ accountId, environment, trackingNumber }) => `${accountId} ${environment} ${trackingNumber}`,
  async run({ db }, changes) {
    const names = columnNames(changeColumns);
    await db.run(sql`
      INSERT INTO tracking_records AS known (${names})
      SELECT ${names} FROM ${unnestRows(changeColumns, changes)}
      ORDER BY account_id, environment, tracking_number
      ON CONFLICT (account_id, environment, tracking_number) DO UPDATE
        SET status = CASE known.status WHEN 'voided' THEN known.status ELSE excluded.status END,
          updated_at = greatest(known.updated_at, excluded.updated_at)
        WHERE known.updated_at < excluded.updated_at
          OR (known.status = 'pre_transit' AND excluded.status = 'voided')`);
    return [];
  },
});
