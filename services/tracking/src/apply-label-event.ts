import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { type Columns, columnNames, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { ReadDeps } from "@shipping/kit/postgres/read-owned";
import {
  type ApplyLabelEventRequest,
  type ApplyLabelEventResponse,
  ApplyLabelEventResponseSchema,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";
import { rowAfter, trackingColumns } from "./tracking.js";

/** Applies a label event. Idempotent: each holds the whole label, so `label.voided` may come first; a later `created` changes nothing. */
export async function applyLabelEvent(
  deps: ReadDeps,
  request: ApplyLabelEventRequest,
): Promise<ApplyLabelEventResponse> {
  const caller = requireCaller(request);
  const row = request.event && rowAfter(request.event);
  if (!row) throw fail("internal_error", "The event is not a label event.");
  await advanceRecord(deps, { ...caller, ...row });
  return create(ApplyLabelEventResponseSchema);
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
