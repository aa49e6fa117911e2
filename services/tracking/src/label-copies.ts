import { walkTable } from "@shipping/kit/derived/walk";
import { fail } from "@shipping/kit/errors";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { LabelCopy } from "@shipping/proto/shipping/common/v1/common_pb";
import type {
  ListLabelCopiesRequest,
  ReadLabelCopiesRequest,
  RemoveLabelCopiesRequest,
} from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import sql from "sql-template-tag";

const MAX_COPIES = 500;

interface CopyRow {
  accountId: string;
  environment: string;
  trackingNumber: string;
  shipmentId: string;
  labelId: string;
  status: string;
}

const columns = sql`
  account_id AS "accountId", environment, tracking_number AS "trackingNumber", shipment_id AS "shipmentId", label_id AS "labelId",
  CASE status WHEN 'pre_transit' THEN 'created' ELSE status END AS status`;

const keyColumns = {
  ...{ accountId: "text", environment: "text", trackingNumber: "text", labelId: "text" },
} as const satisfies Columns;

/** Reads the records of labels. Those that do not exist are left out. */
export async function readLabelCopies({ db }: ReadDeps, { labels }: ReadLabelCopiesRequest) {
  const keys = keysOf(labels);
  if (keys.length === 0) return { copies: [] };
  const copies = await db.runList<CopyRow>(sql`
    SELECT found.* FROM ${unnestRows(keyColumns, keys)}
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM tracking_records
      WHERE (account_id, environment, tracking_number) = (given.account_id, given.environment, given.tracking_number)
      LIMIT 1) AS found`);
  return { copies };
}

/** Reads a page of all records. */
export async function listLabelCopies({ db }: ReadDeps, { after, limit }: ListLabelCopiesRequest) {
  if (limit < 1 || limit > MAX_COPIES) throw fail("invalid_request", `limit must be a number from 1 to ${MAX_COPIES}.`);
  const key = ["accountId", "environment", "trackingNumber"] as const;
  const walked = { table: "tracking_records", key, columns };
  const { rows: copies, next } = await walkTable<CopyRow>(db, walked, { after, limit });
  return { copies, ...(next !== undefined && { nextCursor: next }) };
}

/** Deletes the records of these labels. */
export async function removeLabelCopies({ db }: ReadDeps, { copies }: RemoveLabelCopiesRequest) {
  const keys = keysOf(copies);
  if (keys.length > 0)
    await db.run(sql`
      DELETE FROM tracking_records AS record USING ${unnestRows(keyColumns, keys)}
      WHERE (record.account_id, record.environment, record.tracking_number, record.label_id)
        = (given.account_id, given.environment, given.tracking_number, given.label_id)`);
  return {};
}

function keysOf(copies: readonly LabelCopy[]) {
  if (copies.length > MAX_COPIES) throw fail("invalid_request", `Send at most ${MAX_COPIES} labels.`);
  return copies.map(({ accountId, environment, trackingNumber, labelId }) => ({
    ...{ accountId, environment, trackingNumber, labelId },
  }));
}
