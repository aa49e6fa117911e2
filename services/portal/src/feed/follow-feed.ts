import { type Columns, type Row, unnestRows } from "@shipping/kit/postgres/columns";
import { startLoop } from "@shipping/kit/process/loop";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";

const EVERY_MS = 5_000;

interface Page<Change> {
  changes: Change[];
  /** The time of the other part's database before it read the changes. */
  readAt: string;
}

/** The changes that another part keeps for the portal, until they were acknowledged and for seven days more. */
export interface Source<Change> {
  /** The name of its row in `feeds`. */
  name: string;
  /** The actions of its entries, which no other source has. */
  actions: readonly string[];
  /** Lists changes after this ID that were not acknowledged, or not before `since`. */
  list(asked: { since: string; after: string }): Promise<Page<Change>>;
  /** Stores what the entries refer to. */
  prepare?(page: Page<Change>): Promise<void>;
  /** The entries of changes; a change may have none. Their IDs are those of the changes. */
  toEntries(changes: readonly Change[]): Entry[] | Promise<Entry[]>;
  acknowledge(asked: { ids: string[] }): Promise<unknown>;
}

export type Feed = ReturnType<typeof createFeed>;

export function createFeed<Change extends { id: string }>(
  { db, log }: Pick<PortalDeps, "db" | "log">,
  source: Source<Change>,
) {
  const { name, list, prepare, toEntries, acknowledge } = source;

  async function readTime(): Promise<string> {
    const [row] = await db.run<{ readAt: Date }>(sql`SELECT read_at AS "readAt" FROM feeds WHERE name = ${name}`);
    return (row?.readAt ?? new Date(0)).toISOString();
  }

  async function storeTime(readAt: string): Promise<void> {
    await db.run(sql`
      INSERT INTO feeds (name, read_at) VALUES (${name}, ${readAt}::timestamptz)
      ON CONFLICT (name) DO UPDATE SET read_at = greatest(feeds.read_at, excluded.read_at)`);
  }

  /**
   * Stores the changes of the feed.
   *
   * The time of the last complete pass is stored with the entries, and the other part also returns what was acknowledged since. Usually that is what
   * this pass has just acknowledged. After a restore, it is what the backup lacks.
   */
  async function once(isStopping = () => false): Promise<{ stored: number }> {
    const since = await readTime();
    const first = await list({ since, after: "" });
    let stored = 0;
    for (let page = first; page.changes.length > 0; ) {
      const ids = page.changes.map(({ id }) => id);
      await prepare?.(page);
      // They may have been stored before, and are recognized by their IDs.
      await insertEntries({ db }, await toEntries(page.changes));
      await acknowledge({ ids });
      stored += ids.length;
      if (isStopping()) return { stored };
      page = await list({ since, after: ids.at(-1)! });
    }
    if (stored > 0) await storeTime(first.readAt);
    return { stored };
  }

  const onceLogged = (isStopping: () => boolean) =>
    once(isStopping).catch((err) => log.warn({ err }, `changes of ${name} not yet in the audit log`));
  return {
    ...{ source, once },
    /** Stores changes every few seconds. The audit page does not wait for that, and takes the changes itself. */
    follow: () => startLoop({ name: `follow-${name}`, everyMs: EVERY_MS, log, once: onceLogged }),
  };
}

export const entryColumns = {
  ...{ id: "text", accountId: "text", at: "text", actor: "text", action: "text", environment: "text?" },
  ...{ subject: "text", detail: "text", source: "text" },
} as const satisfies Columns;

export type Entry = Row<typeof entryColumns>;

/**
 * Writes entries of the audit log. The ID of a change is that of its entry, so each is logged once. The entries are sorted, so that two portals cannot
 * deadlock. The join skips accounts that the gateway does not have (the other part was restored from a newer backup) and accounts whose erasure has begun.
 */
export async function insertEntries({ db }: Pick<PortalDeps, "db">, entries: readonly Entry[]) {
  if (entries.length === 0) return;
  await db.run(sql`
    INSERT INTO audit_entries (id, account_id, at, actor, action, environment, subject, detail, source)
    SELECT given.id, account_id, at::timestamptz, actor, action, nullif(environment, ''), subject, detail, source
    FROM ${unnestRows(entryColumns, entries)}
    JOIN accounts a ON a.id = account_id AND a.erasing_since IS NULL
    ORDER BY given.id
    ON CONFLICT (id) DO NOTHING`);
}
