import type { Caller } from "@shipping/kit/caller";
import { pickColumns } from "@shipping/kit/postgres/columns";
import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import sql, { type Sql } from "sql-template-tag";
import { insertClaimed, type SharedRow, type Shown, sharedColumns } from "../resource/shared-fields.js";
import { toSearchText, trackingDigits } from "./search-text.js";

/** The tables of the search texts that have hashes. */
export const SEARCH_TABLES = { orders: "order_search", shipments: "shipment_search" } as const;

export type RecordTable = keyof typeof SEARCH_TABLES;

/** The table of the search texts that have no hashes yet. */
export const recentTable = (table: RecordTable) => `${SEARCH_TABLES[table]}_recent`;

const recentColumns = { ...pickColumns(sharedColumns, ["id", "environment", "createdAt"]), text: "text" } as const;

/** Creates the insertion of the search texts of new records, into a statement that creates them. */
export function insertSearchTexts<Stored extends SharedRow>(
  table: RecordTable,
  toJson: (row: Shown<Stored>) => string,
) {
  const insert = insertClaimed(recentTable(table), recentColumns);
  return (rows: readonly Stored[]): Sql =>
    insert(rows.map((row) => ({ ...row, text: toSearchText(JSON.parse(toJson(row))) })));
}

/** A label's number, by which its shipment is found. */
export interface TrackedShipment {
  caller: Caller;
  shipmentId: string;
  trackingNumber: string;
}

/**
 * Adds the digits of tracking numbers to the search texts of their shipments, each once, however often it is called. Of a text that has hashes,
 * a copy with the digits becomes a recent one, which replaces it once it has hashes, too: a search finds the shipment by each of them
 * meanwhile. Returns the shipments whose texts were copied.
 */
export async function addTrackingNumbers(
  deps: ReadDeps,
  shipments: readonly TrackedShipment[],
): Promise<TrackedShipment[]> {
  const copied: TrackedShipment[] = [];
  let left = shipments.filter(({ trackingNumber }) => trackingDigits(trackingNumber) !== "");
  // A text that moves from one table to the other meanwhile is in neither for this statement, and in one of them for the next.
  for (let turn = 0; turn < 2 && left.length > 0; turn++) {
    const found = new Map((await addDigits(deps, left)).map(({ id, isCopied }) => [id, isCopied]));
    copied.push(...left.filter(({ shipmentId }) => found.get(shipmentId)));
    left = left.filter(({ shipmentId }) => !found.has(shipmentId));
  }
  return copied;
}

function addDigits({ db }: ReadDeps, shipments: readonly TrackedShipment[]) {
  const column = (read: (shipment: TrackedShipment) => string) => shipments.map(read);
  return db.run<{ id: string; isCopied: boolean }>(sql`
    WITH given AS MATERIALIZED (
      SELECT * FROM unnest(
        ${column(({ caller }) => caller.accountId)}::text[], ${column(({ caller }) => caller.environment)}::text[],
        ${column(({ shipmentId }) => shipmentId)}::text[],
        ${column(({ trackingNumber }) => trackingDigits(trackingNumber))}::text[]
      ) AS given (account_id, environment, id, digits)
      ORDER BY account_id, environment, id),
    recent AS MATERIALIZED (
      SELECT digits, found.* FROM given CROSS JOIN LATERAL (
        SELECT ctid AS place, id, strpos(text, ' ' || digits) > 0 AS is_known FROM shipment_search_recent
        WHERE (account_id, environment, id) = (given.account_id, given.environment, given.id) FOR UPDATE) AS found),
    changed AS (
      UPDATE shipment_search_recent AS text_of SET text = text || digits FROM recent
      WHERE text_of.ctid = place AND NOT is_known RETURNING text_of.id),
    hashed AS MATERIALIZED (
      SELECT digits, found.* FROM given CROSS JOIN LATERAL (
        SELECT account_id, environment, id, created_at, text, strpos(text, ' ' || digits) > 0 AS is_known FROM shipment_search
        WHERE (account_id, environment, id) = (given.account_id, given.environment, given.id) FOR UPDATE) AS found),
    copied AS (
      INSERT INTO shipment_search_recent (account_id, environment, id, created_at, text)
      SELECT account_id, environment, id, created_at, text || digits FROM hashed
      WHERE NOT is_known AND id NOT IN (SELECT id FROM recent)
      ON CONFLICT DO NOTHING RETURNING id)
    SELECT id, false AS "isCopied" FROM recent WHERE is_known OR id IN (SELECT id FROM changed)
    UNION ALL SELECT id, NOT is_known FROM hashed WHERE is_known OR id IN (SELECT id FROM copied)`);
}
