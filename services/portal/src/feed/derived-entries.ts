import type { DerivedRows, Difference } from "@shipping/kit/derived/derived-rows";
import { type Place, placeOf, valuesOf } from "@shipping/kit/derived/walk";
import { type Columns, unnestRows } from "@shipping/kit/postgres/columns";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";
import { type Entry, insertEntries, type Source } from "./follow-feed.js";

/** Younger changes are compared: the other part keeps each for seven days. */
const COMPARED_MS = 6 * 86_400_000;
/** The most that a source returns at once. */
const PAGE = 100;

interface StoredEntry {
  id: string;
  accountId: string;
  action: string;
  subject: string;
  at: Date;
}

type Found = Difference & { entry?: Entry };

const idColumns = { id: "text", accountId: "text" } as const satisfies Columns;

/** The entries of the audit log that a feed brings, compared with the changes that the other part still has. */
export function derivedEntries<Change extends { id: string }>(
  { db, now }: Pick<PortalDeps, "db" | "now">,
  source: Source<Change>,
): DerivedRows<Found> {
  const since = () => new Date(now().getTime() - COMPARED_MS);

  /** Entries of accounts that the portal does not have, or whose erasure has begun, are not in the audit log. */
  async function expected(changes: readonly Change[]): Promise<Entry[]> {
    const entries = await source.toEntries(changes);
    if (entries.length === 0) return [];
    const rows = await db.runList<{ id: string }>(sql`
      SELECT given.id FROM ${unnestRows(idColumns, entries)}
      JOIN accounts AS a ON a.id = account_id AND erasing_since IS NULL`);
    const known = new Set(rows.map(({ id }) => id));
    return entries.filter(({ id, at }) => known.has(id) && Date.parse(at) > since().getTime());
  }

  return {
    kind: `audit_${source.name}`,
    startsAt: "aud",
    async compare(place: Place) {
      const [after = ""] = valuesOf(place, 1);
      // A change is stored before its entry, so one that is missing there was not there when the entries were read.
      const own = await db.runList<StoredEntry>(sql`
        SELECT id, account_id AS "accountId", action, subject, at FROM audit_entries
        WHERE id > ${after} AND action = ANY(${[...source.actions]}::text[]) AND at > ${since()}
        ORDER BY id LIMIT ${PAGE}::bigint`);
      const { changes } = await source.list({ since: new Date(0).toISOString(), after });
      const end = [own, changes].flatMap((page) => (page.length === PAGE ? page.at(-1)!.id : [])).sort()[0];
      const isOnPage = ({ id }: { id: string }) => end === undefined || id <= end;
      const stored = new Map(own.map((one) => [one.id, one]));
      const known = new Set(changes.map(({ id }) => id));
      const differences = [
        ...(await expected(changes.filter(isOnPage))).flatMap((entry) => differenceOf(entry, stored.get(entry.id))),
        ...own.filter((one) => isOnPage(one) && !known.has(one.id)).map(goneFromSource),
      ];
      return { rows: known.size, differences, ...(end !== undefined && { next: placeOf([end]) }) };
    },
    async repair(found) {
      const stale = found.filter(({ problem }) => problem === "stale").map(({ id }) => id);
      await db.runList(sql`DELETE FROM audit_entries WHERE id = ANY(${stale}::text[])`);
      await insertEntries(
        { db },
        found.flatMap(({ entry }) => entry ?? []),
      );
    },
  };
}

function differenceOf(entry: Entry, stored: StoredEntry | undefined): Found[] {
  const { id, accountId, environment, action, subject, at } = entry;
  const about = { accountId, environment: environment ?? "", id, says: `${action} ${subject}`, entry };
  if (!stored) return [{ ...about, problem: "missing" }];
  const isRight =
    stored.accountId === accountId &&
    stored.action === action &&
    stored.subject === subject &&
    stored.at.getTime() === Date.parse(at);
  return isRight ? [] : [{ ...about, problem: "stale" }];
}

/** The audit log says what was done, so an entry stays although the other part no longer has what was changed. */
const goneFromSource = ({ id, accountId, action, subject }: StoredEntry): Found => ({
  ...{ problem: "lost", accountId, environment: "", id, says: `${action} ${subject}: the change is gone` },
});
