import type { ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import { type Finding, type Match, readHashed, readRecent, readSegments, type WantedByText } from "./read-matches.js";
import { toReadings } from "./readings.js";

/** The segments that one search reads: two million records. Older ones are found if a search names days. */
const MAX_SEGMENTS = 128;

/** The segments that one statement reads: few at first, because most words that are searched for fill a page with the newest records. */
const FIRST_SEGMENTS = 1;
const GROWTH = 4;

/** After which time a search ends, whatever it has left: other requests of its account wait for their turn. */
const MAX_MS = 500;

/**
 * The IDs of the caller's records that a text finds, the newest first. They are not `all` if there may be more. It reads the texts without
 * hashes, then the segments from the newest, and ends as soon as nothing that is left can be newer than the matches of a full page.
 */
export async function findByText(deps: ReadDeps, wanted: WantedByText): Promise<{ ids: string[]; all: boolean }> {
  const endMs = performance.now() + MAX_MS;
  const readings = toReadings(wanted.text);
  if (readings.length === 0) return { ids: [], all: true };
  // Texts move from the recent ones to segments, so the recent ones are read before the list of segments.
  let { matches, comparedSince }: Finding = await readRecent(deps, wanted, readings);
  const segments = await readSegments(deps, wanted, MAX_SEGMENTS + 1);
  const searched = segments.slice(0, MAX_SEGMENTS);
  const found = new Map<string, Match>();
  for (let at = 0, count = FIRST_SEGMENTS; ; count *= GROWTH) {
    for (const match of matches) found.set(match.id, match);
    const next = searched[at];
    if (!next && !comparedSince) break;
    // Matches newer than any unread segment, and than any text that was not compared, are final.
    const border = Math.max(next?.newest.getTime() ?? 0, comparedSince?.getTime() ?? 0);
    const final = [...found.values()].filter(({ createdAt }) => createdAt.getTime() > border);
    const isOver = comparedSince || (at > 0 && performance.now() > endMs);
    if (isOver || final.length >= wanted.most) return { ids: newestIds(final, wanted.most), all: false };
    const read = await readHashed(deps, wanted, { readings, segments: searched.slice(at, at + count) });
    ({ matches, comparedSince } = read);
    at += read.segments;
  }
  const all = found.size < wanted.most && segments.length === searched.length;
  return { ids: newestIds([...found.values()], wanted.most), all };
}

function newestIds(matches: readonly Match[], most: number): string[] {
  const byTime = [...matches].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
  return byTime.slice(0, most).map(({ id }) => id);
}
