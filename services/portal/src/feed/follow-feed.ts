import { type Loop, startLoop } from "@shipping/kit/process/loop";
import sql from "sql-template-tag";
import type { PortalDeps } from "../database/deps.js";

const EVERY_MS = 5_000;

interface Page<Change> {
  changes: Change[];
  /** The time of the other part's database before it read the changes. */
  readAt: string;
}

/** The changes that another part keeps for the portal, until they were acknowledged and for seven days more. */
export interface Feed<Change> {
  /** The name of its row in `feeds`. */
  name: string;
  /** Lists changes after this ID that were not acknowledged, or not before `since`. */
  list(asked: { since: string; after: string }): Promise<Page<Change>>;
  /** Stores changes. It may get them again, and recognizes them by their IDs. */
  store(page: Page<Change>): Promise<void>;
  acknowledge(asked: { ids: string[] }): Promise<unknown>;
}

/**
 * Stores the changes of a feed.
 *
 * The time of the last complete pass is stored with the entries, and the other part also returns what was acknowledged since. Usually that is what this
 * pass has just acknowledged. After a restore, it is what the backup lacks.
 */
export async function followFeedOnce<Change extends { id: string }>(
  deps: Pick<PortalDeps, "db">,
  feed: Feed<Change>,
  isStopping = () => false,
): Promise<{ stored: number }> {
  const since = await readFeed(deps, feed.name);
  const first = await feed.list({ since, after: "" });
  let stored = 0;
  for (let page = first; page.changes.length > 0; ) {
    const ids = page.changes.map(({ id }) => id);
    await feed.store(page);
    await feed.acknowledge({ ids });
    stored += ids.length;
    if (isStopping()) return { stored };
    page = await feed.list({ since, after: ids.at(-1)! });
  }
  if (stored > 0) await storeFeed(deps, feed.name, first.readAt);
  return { stored };
}

/** Runs every few seconds. The audit page does not wait for it, and takes the changes itself. */
export function followFeed(
  { log }: Pick<PortalDeps, "log">,
  { name, once }: { name: string; once(isStopping: () => boolean): Promise<unknown> },
): Loop {
  return startLoop({
    name: `follow-${name}`,
    everyMs: EVERY_MS,
    log,
    once: (isStopping) =>
      once(isStopping).catch((err) => {
        log.warn({ err }, `changes of ${name} not yet in the audit log`);
      }),
  });
}

async function readFeed({ db }: Pick<PortalDeps, "db">, name: string): Promise<string> {
  const [row] = await db.run<{ readAt: Date }>(sql`SELECT read_at AS "readAt" FROM feeds WHERE name = ${name}`);
  return (row?.readAt ?? new Date(0)).toISOString();
}

async function storeFeed({ db }: Pick<PortalDeps, "db">, name: string, readAt: string): Promise<void> {
  await db.run(sql`
    INSERT INTO feeds (name, read_at) VALUES (${name}, ${readAt}::timestamptz)
    ON CONFLICT (name) DO UPDATE SET read_at = greatest(feeds.read_at, excluded.read_at)`);
}
