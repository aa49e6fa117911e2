import type { Caller } from "@shipping/kit/caller";
import { type Place, walkTable } from "@shipping/kit/derived/walk";
import type { CausedEvent, EventSource } from "@shipping/kit/ledger/derived-events";
import { type Columns, type Row, selectColumns, unnestRows } from "@shipping/kit/postgres/columns";
import type { Database } from "@shipping/kit/postgres/database";
import sql from "sql-template-tag";
import { labelColumns, labelJson } from "./label.js";

const columns = {
  ...{ accountId: "text", environment: "text", ...labelColumns, origin: "text?", voidOrigin: "text?" },
} as const satisfies Columns;

/** A label of any caller, for what is derived from it. */
export type StoredLabelRow = Row<typeof columns> & {
  /** Whether an event of the label is on its way to records and tracking. */
  underWay: boolean;
};

const keyColumns = { accountId: "text", environment: "text", id: "text" } as const satisfies Columns;

const selected = sql`${selectColumns(columns)}, EXISTS (
  SELECT FROM outbox WHERE event_id IN (split_part(origin, ' ', 1), split_part(void_origin, ' ', 1)) AND projected_at IS NULL) AS "underWay"`;

/** Reads the labels after a place. */
export const walkLabels = (db: Database, page: { after: Place; limit: number }) =>
  walkTable<StoredLabelRow>(db, { table: "labels", key: ["accountId", "environment", "id"], columns: selected }, page);

/** Reads labels of any callers, as far as they exist. */
export function findLabels(db: Database, asked: readonly Row<typeof keyColumns>[]): Promise<StoredLabelRow[]> {
  const keys = asked.map(({ accountId, environment, id }) => ({ accountId, environment, id }));
  return db.runList<StoredLabelRow>(sql`
    SELECT found.* FROM ${unnestRows(keyColumns, keys)}
    CROSS JOIN LATERAL (
      SELECT ${selected} FROM labels
      WHERE (account_id, environment, id) = (given.account_id, given.environment, given.id) LIMIT 1) AS found`);
}

/** The events that a label has caused, as they were: it was created, and then perhaps voided. */
export function eventsOfLabel(label: StoredLabelRow): CausedEvent[] {
  const { accountId, environment, id: resourceId, createdAt, voidedAt, origin, voidOrigin } = label;
  const about = { caller: { accountId, environment: environment as Caller["environment"] }, resourceId };
  const created: CausedEvent = {
    ...about,
    id: origin?.split(" ")[0],
    type: "label.created",
    at: createdAt,
    data: () => labelJson({ ...label, status: "created", voidedAt: null }),
  };
  if (voidedAt === null) return [created];
  const data = () => labelJson(label);
  return [created, { ...about, id: voidOrigin?.split(" ")[0], type: "label.voided", at: voidedAt, data }];
}

/** The labels, as the source of events. */
export const labelEvents = (db: Database): EventSource => ({
  name: "label",
  types: ["label.created", "label.voided"],
  async walk(page) {
    const { rows, ...place } = await walkLabels(db, page);
    return { rows: rows.map(eventsOfLabel), ...place };
  },
  find: async (labels) => (await findLabels(db, labels)).flatMap(eventsOfLabel),
});
