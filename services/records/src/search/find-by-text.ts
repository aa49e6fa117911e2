import type { Caller } from "@shipping/kit/caller";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/read-owned";
import type { PlaceInList } from "@shipping/kit/postgres/search-owned";
import sql, { raw } from "sql-template-tag";
import { type RecordTable, recentTable, SEARCH_TABLES } from "./recent.js";
import { type Reading, seedFor, toEarlierGrams, toReadings, toWantedGrams } from "./search-text.js";

/** The segments that one search reads: two million records. Older ones are found if a search names days. */
const MAX_SEGMENTS = 128;

/** The segments that one statement reads: few at first, because most words that are searched for fill a page with the newest records. */
const FIRST_SEGMENTS = 1;
const GROWTH = 4;

/**
 * After how many rows that have the hashes but do not match a search ends: two segments, which take 25 ms. There are so many if nearly all of an
 * account's records have a word that begins with the same nine letters.
 */
const MAX_MISSES = 33_000;

interface Segment {
  /** From -1 downwards; from 0 upwards in what an earlier release filled. */
  segment: number;
  newest: Date;
}

interface Match {
  id: string;
  createdAt: Date;
}

interface WantedByText extends PlaceInList {
  caller: Caller;
  table: RecordTable;
  text: string;
  /** How many to find at most. */
  most: number;
}

/** The IDs of the caller's records that a text finds, the newest first. They are not `all` if there may be more. */
export async function findByText(deps: ReadDeps, wanted: WantedByText): Promise<{ ids: string[]; all: boolean }> {
  const readings = toReadings(wanted.text);
  if (readings.length === 0) return { ids: [], all: true };
  // Rows leave those without hashes for a segment, so these are read before the list of segments.
  const found = new Map<string, Match>();
  for (const match of await readRecent(deps, wanted, readings)) found.set(match.id, match);
  const segments = await readSegments(deps, wanted);
  const searched = segments.slice(0, MAX_SEGMENTS);
  for (let at = 0, count = FIRST_SEGMENTS, misses = 0; at < searched.length; at += count) {
    // What is newer than all segments that are left comes before everything in them.
    const border = searched[at]!.newest.getTime();
    const settled = [...found.values()].filter(({ createdAt }) => createdAt.getTime() > border);
    if (at > 0) count = Math.min(count * GROWTH, Math.floor(((MAX_MISSES - misses) / Math.max(misses, 1)) * at));
    if (settled.length >= wanted.most || count < 1) return { ids: newestIds(settled, wanted.most), all: false };
    const some = searched.slice(at, at + count);
    for (const { id, createdAt, misses: more } of await readMatches(deps, wanted, { readings, segments: some })) {
      if (createdAt) found.set(id, { id, createdAt });
      misses += more ?? 0;
    }
  }
  const all = found.size < wanted.most && segments.length === searched.length;
  return { ids: newestIds([...found.values()], wanted.most), all };
}

const quoted = (element: string) => `"${element.replace(/["\\]/g, "\\$&")}"`;

const toPatterns = ({ patterns }: Reading) => `{${patterns.map(quoted).join(",")}}`;

function newestIds(matches: readonly Match[], most: number): string[] {
  const byTime = [...matches].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1));
  return byTime.slice(0, most).map(({ id }) => id);
}

function readSegments({ db }: ReadDeps, { caller, table, from, before, at }: WantedByText): Promise<Segment[]> {
  return db.runList<Segment>(sql`
    SELECT segment, newest FROM search_segments
    WHERE ${ownedSql(caller)} AND record_table = ${table} AND newest >= ${from}::timestamptz AND oldest < ${before}::timestamptz
      AND oldest <= ${at}::timestamptz
    ORDER BY newest DESC, segment LIMIT ${MAX_SEGMENTS + 1}::bigint`);
}

/** Reads up to `most` matches of those that have no hashes yet: about a thousand rows of the caller's, at most. */
function readRecent(
  { db }: ReadDeps,
  { caller, table, from, before, at, id, most }: WantedByText,
  readings: readonly Reading[],
): Promise<Match[]> {
  return db.runList<Match>(sql`
    SELECT found.id, found.created_at AS "createdAt"
    FROM unnest(${readings.map(toPatterns)}::text[]) AS asked (patterns)
    CROSS JOIN LATERAL (
      SELECT id, created_at FROM ${raw(recentTable(table))}
      WHERE ${ownedSql(caller)} AND text LIKE ALL (asked.patterns::text[]) AND created_at >= ${from}::timestamptz
        AND created_at < ${before}::timestamptz AND (created_at, id) < (${at}::timestamptz, ${id})
      ORDER BY created_at DESC, id DESC LIMIT ${most}::bigint) AS found`);
}

/** Reads the `most` newest matches of some segments, and how many rows have the hashes only, by a function of the database: see its migration. */
function readMatches(
  { db }: ReadDeps,
  { caller, table, from, before, at, id, most }: WantedByText,
  { readings, segments }: { readings: readonly Reading[]; segments: readonly Segment[] },
): Promise<{ id: string; createdAt: Date | null; misses: number | null }[]> {
  const asked = segments.flatMap(({ segment }) => {
    const seed = seedFor(caller, segment);
    const toGrams = segment < 0 ? toWantedGrams : toEarlierGrams;
    return readings.map((reading) => ({ grams: `{${toGrams(reading.strings, seed)}}`, patterns: toPatterns(reading) }));
  });
  // A record may match in each way.
  const rows = readings.length * most;
  return db.runList(sql`
    SELECT id, created_at AS "createdAt", misses
    FROM compare_records(${SEARCH_TABLES[table]}, ${asked.map(({ grams }) => grams)}::text[], ${asked.map(({ patterns }) => patterns)}::text[], ${caller.accountId + caller.environment},
      ${from}::timestamptz, ${before}::timestamptz, ${at}::timestamptz, ${id}, ${rows}::bigint)`);
}
