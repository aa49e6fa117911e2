import type { Caller } from "@shipping/kit/caller";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/read-owned";
import type { PlaceInList } from "@shipping/kit/postgres/search-owned";
import sql, { join, raw } from "sql-template-tag";
import { type RecordTable, recentTable } from "./recent.js";
import { type Reading, seedFor, toReadings, toWantedGrams } from "./search-text.js";

/** The segments that one search reads: two million records. Older ones are found if a search names days. */
const MAX_SEGMENTS = 128;

/** The segments that one statement reads: few at first, because most words that are searched for fill a page with the newest records. */
const FIRST_SEGMENTS = 1;
const GROWTH = 4;

// What bounds the CPU time of a statement. On a slow core, PostgreSQL needs up to a millisecond to look through the rows of a segment that have a
// hash, a microsecond for each that has all hashes, and up to 5 ns for each look at a byte of a text.
const MAX_HASHES = 24;
const MAX_CANDIDATES = 20_000;
const MAX_LOOKS = 4_000_000;

/** After which time a search ends, whatever it has left: other requests of its account wait for their turn. */
const MAX_MS = 500;

interface Segment {
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

/** What a statement found of some records. */
interface Finding {
  matches: Match[];
  /** After which time all of them were compared, if not all were. */
  comparedSince?: Date;
}

/** The IDs of the caller's records that a text finds, the newest first. They are not `all` if there may be more. */
export async function findByText(deps: ReadDeps, wanted: WantedByText): Promise<{ ids: string[]; all: boolean }> {
  const endMs = performance.now() + MAX_MS;
  const readings = toReadings(wanted.text);
  if (readings.length === 0) return { ids: [], all: true };
  // Rows leave those without hashes for a segment, so these are read before the list of segments.
  let { matches, comparedSince }: Finding = await readRecent(deps, wanted, readings);
  const segments = await readSegments(deps, wanted);
  const searched = segments.slice(0, MAX_SEGMENTS);
  const found = new Map<string, Match>();
  for (let at = 0, count = FIRST_SEGMENTS; ; count *= GROWTH) {
    for (const match of matches) found.set(match.id, match);
    const left = searched[at];
    if (!left && !comparedSince) break;
    // What is newer than all that is left comes before everything in it.
    const border = Math.max(left?.newest.getTime() ?? 0, comparedSince?.getTime() ?? 0);
    const settled = [...found.values()].filter(({ createdAt }) => createdAt.getTime() > border);
    const isOver = comparedSince || (at > 0 && performance.now() > endMs);
    if (isOver || settled.length >= wanted.most) return { ids: newestIds(settled, wanted.most), all: false };
    const read = await readMatches(deps, wanted, { readings, segments: searched.slice(at, at + count) });
    ({ matches, comparedSince } = read);
    at += read.segments;
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
    ORDER BY newest DESC, segment DESC LIMIT ${MAX_SEGMENTS + 1}::bigint`);
}

// Of matches, and without an ID about the search.
interface FindingRow {
  id: string | null;
  createdAt: Date | null;
  segments: number | null;
}

function toFinding(rows: readonly FindingRow[]): Finding & { segments: number } {
  const about = rows.find(({ id }) => id === null)!;
  const matches = rows.flatMap(({ id, createdAt }) => (id && createdAt ? { id, createdAt } : []));
  return { matches, segments: about.segments ?? 0, ...(about.createdAt && { comparedSince: about.createdAt }) };
}

/** How many bytes of texts a statement compares. */
const maxBytes = (readings: readonly Reading[]) =>
  Math.floor(MAX_LOOKS / readings.reduce((sum, { looks }) => sum + looks, 0));

/** Reads up to `most` matches of those that have no hashes yet: about a thousand rows of the caller's, at most. */
async function readRecent(
  { db }: ReadDeps,
  { caller, table, from, before, at, id, most }: WantedByText,
  readings: readonly Reading[],
): Promise<Finding> {
  const matches = readings.map(({ patterns }) => sql`text LIKE ALL (${patterns}::text[])`);
  const bytes = maxBytes(readings);
  const rows = await db.runList<FindingRow>(sql`
    WITH recent AS MATERIALIZED (
      SELECT id, created_at, text, octet_length(text) AS bytes FROM ${raw(recentTable(table))}
      WHERE ${ownedSql(caller)} AND created_at >= ${from}::timestamptz AND created_at < ${before}::timestamptz
        AND (created_at, id) < (${at}::timestamptz, ${id})),
    sized AS MATERIALIZED (
      SELECT count(*) AS rows, CASE WHEN sum(bytes) > ${bytes}::bigint THEN greatest(1, ${bytes}::bigint / max(bytes)) ELSE count(*) END AS compared
      FROM recent),
    newest AS MATERIALIZED (SELECT * FROM recent ORDER BY created_at DESC, id DESC LIMIT (SELECT compared FROM sized))
    SELECT NULL AS id, CASE WHEN rows > compared THEN (SELECT min(created_at) FROM newest) END AS "createdAt", NULL::integer AS segments
    FROM sized
    UNION ALL (SELECT id, created_at, NULL FROM newest WHERE ${join(matches, " OR ")} LIMIT ${most}::bigint)`);
  return toFinding(rows);
}

/**
 * Reads the `most` newest matches of as many of some segments as one statement reads, by a function of the database: see its migration.
 * Returns how many it read.
 */
async function readMatches(
  { db }: ReadDeps,
  { caller, table, from, before, at, id, most }: WantedByText,
  { readings, segments }: { readings: readonly Reading[]; segments: readonly Segment[] },
): Promise<Finding & { segments: number }> {
  const hashes: string[][] = [];
  let count = 0;
  for (const { segment } of segments) {
    const seed = seedFor(caller, segment);
    const grams = readings.map(({ strings }) => toWantedGrams(strings, seed));
    count += grams.flat().length;
    if (hashes.length > 0 && count > MAX_HASHES) break;
    hashes.push(grams.map((some) => `{${some}}`));
  }
  const rows = await db.runList<FindingRow>(sql`
    SELECT id, created_at AS "createdAt", segments::integer
    FROM ${raw(`find_${table}`)}(${hashes}::text[], ${readings.map(toPatterns)}::text[], ${caller.accountId + caller.environment},
      ${from}::timestamptz, ${before}::timestamptz, ${at}::timestamptz, ${id},
      ${MAX_CANDIDATES}::bigint, ${maxBytes(readings)}::bigint, ${most}::bigint)`);
  const finding = toFinding(rows);
  // More than can be in a segment.
  return finding.segments > 0 ? finding : { matches: [], segments: 0, comparedSince: segments[0]!.newest };
}
