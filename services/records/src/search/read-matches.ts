import type { Caller } from "@shipping/kit/caller";
import { ownedSql, type ReadDeps } from "@shipping/kit/postgres/owned/read-owned";
import type { PlaceInList } from "@shipping/kit/postgres/owned/search-owned";
import sql, { join, raw } from "sql-template-tag";
import { seedFor, toWantedHashes } from "./hashes.js";
import type { Reading } from "./readings.js";
import { type RecordTable, recentTable } from "./search-rows.js";

// These bound the CPU time of a statement. On a slow core, PostgreSQL needs up to a millisecond to look through the rows of a segment that have a
// hash, a microsecond for each that has all hashes, and up to 5 ns for each look at a byte of a text.
const MAX_HASHES = 24;
const MAX_CANDIDATES = 20_000;
const MAX_LOOKS = 4_000_000;

/** The records that a text must find: of a caller, in a part of their list. */
export interface WantedByText extends PlaceInList {
  caller: Caller;
  table: RecordTable;
  text: string;
  /** How many to find at most. */
  most: number;
}

export interface Segment {
  segment: number;
  newest: Date;
}

export interface Match {
  id: string;
  createdAt: Date;
}

/** The matches among some records. */
export interface Finding {
  matches: Match[];
  /** After which time all of them were compared, if not all were. */
  comparedSince?: Date;
}

/** A match, or without an ID a row about the search. */
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

/** Reads the segments that may have wanted records, the newest first. */
export function readSegments(
  { db }: ReadDeps,
  { caller, table, from, before, at }: WantedByText,
  most: number,
): Promise<Segment[]> {
  return db.runList<Segment>(sql`
    SELECT segment, newest FROM search_segments
    WHERE ${ownedSql(caller)} AND record_table = ${table} AND newest >= ${from}::timestamptz AND oldest < ${before}::timestamptz
      AND oldest <= ${at}::timestamptz
    ORDER BY newest DESC, segment DESC LIMIT ${most}::bigint`);
}

/** Reads up to `most` matches among the texts that have no hashes yet: about a thousand of the caller's, at most. */
export async function readRecent(
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
export async function readHashed(
  { db }: ReadDeps,
  { caller, table, from, before, at, id, most }: WantedByText,
  { readings, segments }: { readings: readonly Reading[]; segments: readonly Segment[] },
): Promise<Finding & { segments: number }> {
  const rows = await db.runList<FindingRow>(sql`
    SELECT id, created_at AS "createdAt", segments::integer
    FROM ${raw(`find_${table}`)}(${hashesIn(segments, caller, readings)}::text[], ${readings.map(toPatterns)}::text[],
      ${caller.accountId + caller.environment}, ${from}::timestamptz, ${before}::timestamptz, ${at}::timestamptz, ${id},
      ${MAX_CANDIDATES}::bigint, ${maxBytes(readings)}::bigint, ${most}::bigint)`);
  const finding = toFinding(rows);
  // A segment with more candidates than a statement reads is left out.
  return finding.segments > 0 ? finding : { matches: [], segments: 0, comparedSince: segments[0]!.newest };
}

/** The hashes of each reading in each segment, as arrays in text: of one segment, and of as many more as one statement asks the index for. */
function hashesIn(segments: readonly Segment[], caller: Caller, readings: readonly Reading[]): string[][] {
  let count = 0;
  const asked: string[][] = [];
  for (const { segment } of segments) {
    const seed = seedFor(caller, segment);
    const hashes = readings.map(({ strings }) => toWantedHashes(strings, seed));
    count += hashes.flat().length;
    if (asked.length > 0 && count > MAX_HASHES) break;
    asked.push(hashes.map((some) => `{${some}}`));
  }
  return asked;
}

const quoted = (element: string) => `"${element.replace(/["\\]/g, "\\$&")}"`;

const toPatterns = ({ patterns }: Reading) => `{${patterns.map(quoted).join(",")}}`;
