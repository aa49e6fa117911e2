import { fail } from "../errors.js";
import type { Place } from "./walk.js";

/** `lost`: the source itself is gone, so nothing can be repaired. */
export const PROBLEMS = ["missing", "stale", "surplus", "lost"] as const;

/** A derived row that does not agree with its source. */
export interface Difference {
  problem: (typeof PROBLEMS)[number];
  accountId: string;
  /** Empty if the row belongs to both. */
  environment: string;
  /** The ID of the resource. */
  id: string;
  /** More about it, for people. Two differences are the same only if they say the same. */
  says?: string;
}

/** A page of a walk: the rows that were compared, and the differences that were found. */
export interface ComparedPage<Found extends Difference = Difference> {
  /** How many rows were compared. */
  rows: number;
  differences: Found[];
  /** Absent on the last page. */
  next?: string;
}

/**
 * Rows that are derived from others. A part declares each kind that it keeps right, and how to find and repair what is wrong. A row that is just
 * being written may be found, too: it is wrong only if the same is found some seconds later. So a repair must be harmless at any time.
 */
export interface DerivedRows<Found extends Difference = Difference> {
  /** For example `order_search`: a label of metrics, and what operators read. */
  kind: string;
  /** The prefix of the IDs with which places begin, if they do: a process begins its first walk at a random one. */
  startsAt?: string;
  /** Compares the rows after a place. */
  compare(after: Place, limit: number): Promise<ComparedPage<Found>>;
  /** Repairs differences that are not `lost`. */
  repair(differences: readonly Found[]): Promise<unknown>;
}

/** The name of a difference, by which it is found again. */
export const nameOf = ({ problem, accountId, environment, id, says = "" }: Difference): string =>
  [problem, accountId, environment, id, says].join(" ");

export const canRepair = ({ problem }: Difference): boolean => problem !== "lost";

/** A page of the walk through all kinds of an owner. */
export interface CheckedPage extends Omit<ComparedPage, "next"> {
  kind: string;
  nextCursor?: string;
}

/** Compares, and if asked to repairs, one page of all kinds, one kind after the other. */
export async function checkDerived(
  all: readonly DerivedRows[],
  { cursor, repair, limit }: { cursor: string | undefined; repair: boolean; limit: number },
): Promise<CheckedPage> {
  const [name, place] = cursor?.split("\n", 2) ?? [];
  const at = name === undefined ? 0 : all.findIndex(({ kind }) => kind === name);
  const rows = all[at];
  if (!rows && cursor !== undefined) throw fail("invalid_request", "cursor must be the next_cursor of a page.");
  if (!rows) return { kind: "", rows: 0, differences: [] };
  const { next, ...page } = await rows.compare(place, limit);
  const repairable = page.differences.filter(canRepair);
  if (repair && repairable.length > 0) await rows.repair(repairable);
  const nextCursor = next === undefined ? all[at + 1]?.kind : `${rows.kind}\n${next}`;
  return { kind: rows.kind, ...page, ...(nextCursor !== undefined && { nextCursor }) };
}
