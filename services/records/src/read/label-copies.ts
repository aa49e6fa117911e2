import { walkTable } from "@shipping/kit/derived/walk";
import { fail } from "@shipping/kit/errors";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { ListLabelCopiesRequest, ReadLabelCopiesRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { trackingDigits } from "../search/search-text.js";

const MAX_COPIES = 500;

interface CopyRow {
  accountId: string;
  environment: string;
  shipmentId: string;
  labelId: string | null;
  status: string;
}

const columns = sql`account_id AS "accountId", environment, id AS "shipmentId", label_id AS "labelId", status`;

const askedColumns = {
  ...{ accountId: "text", environment: "text", shipmentId: "text", digits: "text" },
} as const satisfies Columns;

/** Reads what shipments say of their labels, and whether they are found by these tracking numbers. Shipments that do not exist are left out. */
export async function readLabelCopies({ db }: ReadDeps, { labels }: ReadLabelCopiesRequest) {
  if (labels.length > MAX_COPIES) throw fail("invalid_request", `labels must have at most ${MAX_COPIES}.`);
  if (labels.length === 0) return { copies: [] };
  const asked = labels.map(({ accountId, environment, shipmentId, trackingNumber }) => ({
    ...{ accountId, environment, shipmentId, digits: trackingDigits(trackingNumber) },
  }));
  const rows = await db.runList<CopyRow & { searchable: boolean }>(sql`
    SELECT found.*, given.digits = '' OR EXISTS (
      SELECT FROM shipment_search_recent AS recent
      WHERE (account_id, environment, id) = (given.account_id, given.environment, given.shipment_id)
        AND strpos(text, ' ' || digits) > 0) OR EXISTS (
      SELECT FROM shipment_search AS hashed
      WHERE (account_id, environment, id) = (given.account_id, given.environment, given.shipment_id)
        AND strpos(text, ' ' || digits) > 0) AS searchable
    FROM ${unnestRows(askedColumns, asked)}
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM shipments
      WHERE (account_id, environment, id) = (given.account_id, given.environment, given.shipment_id) LIMIT 1) AS found`);
  return { copies: rows.map(({ searchable, ...row }) => ({ ...toMessage(row), searchable })) };
}

/** Reads a page of what all shipments say of their labels. Those without a label are left out. */
export async function listLabelCopies({ db }: ReadDeps, { after, limit }: ListLabelCopiesRequest) {
  if (limit < 1 || limit > MAX_COPIES) throw fail("invalid_request", `limit must be a number from 1 to ${MAX_COPIES}.`);
  const walked = { table: "shipments", key: ["accountId", "environment", "id"] as const, columns: sql`id, ${columns}` };
  const { rows, next } = await walkTable<CopyRow & { id: string }>(db, walked, { after, limit });
  const copies = rows.filter(({ labelId }) => labelId !== null).map(toMessage);
  return { copies, ...(next !== undefined && { nextCursor: next }) };
}

function toMessage({ labelId, status, accountId, environment, shipmentId }: CopyRow) {
  const known = { draft: "", label_created: "created", voided: "voided" }[status] ?? "";
  return { accountId, environment, shipmentId, labelId: labelId ?? "", status: known };
}
