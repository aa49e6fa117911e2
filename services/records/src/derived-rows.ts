import type { Caller } from "@shipping/kit/caller";
import type { DerivedRows } from "@shipping/kit/derived/derived-rows";
import { walkTable } from "@shipping/kit/derived/walk";
import {
  arrivedEvents,
  type CausedEvent,
  type DerivedEventsDeps,
  type EventSource,
  eventsOfRecords,
  waitingEvents,
} from "@shipping/kit/ledger/derived-events";
import { type Columns, selectColumns, unnestRows } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import sql, { raw } from "sql-template-tag";
import { orderJson, storedOrderColumns } from "./resource/order.js";
import type { SharedRow } from "./resource/shared-fields.js";
import { type ShipmentRow, shipmentJson, storedShipmentColumns } from "./resource/shipment.js";
import { recentRows, searchRows } from "./search/derived-search.js";
import type { RecordsDeps } from "./search/hash-recent.js";

type StoredRow = SharedRow & Caller & { origin: string | null };

const owner = sql`account_id AS "accountId"`;
const keyColumns = { accountId: "text", environment: "text", id: "text" } as const satisfies Columns;

/** The search rows of records, and the events that its rows have caused. */
export function derivedRows(deps: RecordsDeps, events: DerivedEventsDeps): DerivedRows[] {
  const sources = [
    eventSource(deps.db, {
      name: "order",
      columns: storedOrderColumns,
      toJson: orderJson,
    }),
    eventSource<StoredRow & ShipmentRow>(deps.db, {
      name: "shipment",
      columns: storedShipmentColumns,
      // As it was when it was created.
      toJson: (row) => shipmentJson({ ...row, status: "draft", labelId: null }),
    }),
  ];
  return [
    searchRows(deps, "orders", { columns: storedOrderColumns, toJson: orderJson }),
    recentRows(deps, "orders"),
    searchRows<ShipmentRow>(deps, "shipments", { columns: storedShipmentColumns, toJson: shipmentJson }),
    recentRows(deps, "shipments"),
    ...sources.map((source) => eventsOfRecords(events, source)),
    waitingEvents(events, sources),
    arrivedEvents(events, sources),
  ];
}

function eventSource<Stored extends StoredRow>(
  db: Database,
  { name, columns, toJson }: { name: "order" | "shipment"; columns: Columns; toJson(row: Stored): string },
): EventSource {
  const table = `${name}s`;
  const type = `${name}.created`;
  const selected = sql`${owner}, ${selectColumns(columns)}`;
  const eventOf = (row: Stored): CausedEvent => ({
    id: row.origin?.split(" ")[0],
    type,
    caller: { accountId: row.accountId, environment: row.environment },
    resourceId: row.id,
    at: row.createdAt,
    data: () => toJson(row),
  });
  return {
    name,
    types: [type],
    async walk(page) {
      const walked = { table, key: ["accountId", "environment", "id"] as const, columns: selected };
      const { rows, ...place } = await walkTable<Stored>(db, walked, page);
      return { rows: rows.map((row) => [eventOf(row)]), ...place };
    },
    async find(records) {
      const keys = records.map(({ accountId, environment, id }) => ({ accountId, environment, id }));
      const rows = await db.runList<Stored>(sql`
        SELECT found.* FROM ${unnestRows(keyColumns, keys)}
        CROSS JOIN LATERAL (
          SELECT ${selected} FROM ${raw(table)}
          WHERE (account_id, environment, id) = (given.account_id, given.environment, given.id) LIMIT 1) AS found`);
      return rows.map(eventOf);
    },
  };
}
