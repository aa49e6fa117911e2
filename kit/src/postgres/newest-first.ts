import sql, { raw } from "sql-template-tag";
import type { Caller } from "../caller.js";
import type { ReadDeps } from "./read-owned.js";
import { ownedSql } from "./read-owned.js";

/** The part of a list, sorted newest first, that a page shows. Times are ISO 8601, `-infinity` or `infinity`. */
export interface PlaceInList {
  /** Created at this time or later. */
  from: string;
  /** Created before this time. */
  before: string;
  /** Only rows that come after this time and id. */
  at: string;
  id: string;
}

/** Returns where a page begins in a list. After a row that the caller does not have, it is the first page. */
export async function placeAfter(
  { db }: ReadDeps,
  asked: {
    caller: Caller;
    table: string;
    createdFrom?: string | undefined;
    createdBefore?: string | undefined;
    after?: string | undefined;
  },
): Promise<PlaceInList> {
  const { caller, table, after, createdFrom: from = "-infinity", createdBefore: before = "infinity" } = asked;
  const [row] =
    after === undefined
      ? []
      : await db.runList<{ createdAt: Date }>(sql`
          SELECT created_at AS "createdAt" FROM ${raw(table)} WHERE ${ownedSql(caller)} AND id = ${after} LIMIT 1`);
  return row && after !== undefined
    ? { from, before, at: row.createdAt.toISOString(), id: after }
    : { from, before, at: "infinity", id: "" };
}
