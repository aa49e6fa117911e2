import { setTimeout } from "node:timers/promises";
import type { Client } from "@connectrpc/connect";
import { type Difference, nameOf, PROBLEMS } from "@shipping/kit/derived/derived-rows";
import type {
  CheckDerivedResponse,
  OwnerOperationsService,
} from "@shipping/proto/shipping/operations/v1/operations_pb";
import { onOwner } from "./call-parts.js";
import type { Platform } from "./find-platform.js";
import type { Part } from "./parts.js";

/** The walk through one kind of a part's derived rows, and what it has found. */
export interface WalkedKind {
  part: Part;
  kind: string;
  compared: number;
  differences: Difference[];
}

interface Page extends CheckDerivedResponse {
  part: Part;
  /** The cursor with which it was read. */
  cursor: string | undefined;
}

type Owner = Client<typeof OwnerOperationsService>;

/** Compares the derived rows of a part with their source. A difference counts if it is there again after `waitMs`. */
export function compareDerived(platform: Platform, part: Part, waitMs: number): Promise<WalkedKind[]> {
  return onOwner(platform, part, async (owner) => {
    const pages = await walk(owner, part, false);
    const suspect = pages.filter(({ differences }) => differences.length > 0);
    if (suspect.length > 0) await setTimeout(waitMs);
    for (const page of suspect) {
      const again = await readPage(owner, page.cursor, false);
      const names = new Set(again.differences.map((one) => nameOf(toDifference(one))));
      page.differences = page.differences.filter((one) => names.has(nameOf(toDifference(one))));
    }
    return byKind(pages);
  });
}

/** Repairs the derived rows of these parts, one part after the other, and returns what was wrong. */
export async function repairDerived(platform: Platform, parts: readonly Part[]): Promise<WalkedKind[]> {
  const walked: WalkedKind[] = [];
  for (const part of parts) {
    const pages = await onOwner(platform, part, (owner) => walk(owner, part, true));
    walked.push(...byKind(pages));
  }
  return walked;
}

async function walk(owner: Owner, part: Part, repair: boolean): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readPage(owner, cursor, repair);
    if (page.kind !== "") pages.push({ ...page, part, cursor });
    cursor = page.nextCursor;
    if (cursor === undefined) return pages;
  }
}

const readPage = (owner: Owner, cursor: string | undefined, repair: boolean) =>
  owner.checkDerived({ repair, ...(cursor !== undefined && { cursor }) });

function byKind(pages: readonly Page[]): WalkedKind[] {
  const kinds = new Map<string, WalkedKind>();
  for (const { part, kind, rows, differences } of pages) {
    const name = `${part} ${kind}`;
    const walked = kinds.get(name) ?? { part, kind, compared: 0, differences: [] };
    walked.compared += rows;
    walked.differences.push(...differences.map(toDifference));
    kinds.set(name, walked);
  }
  return [...kinds.values()];
}

function toDifference({ problem, ...one }: CheckDerivedResponse["differences"][number]): Difference {
  const { accountId, environment, id, says } = one;
  const known = PROBLEMS.find((name) => name === problem) ?? "stale";
  return { problem: known, accountId, environment, id, says };
}

/** How many of each problem there are, in words. */
export function countProblems(differences: readonly Difference[]): string {
  const counts = PROBLEMS.map((problem) => [differences.filter((one) => one.problem === problem).length, problem]);
  return counts
    .filter(([count]) => count !== 0)
    .map((count) => count.join(" "))
    .join(", ");
}

const LISTED = 1_000;

/** The differences, one on each line: those whose source is gone first. */
export function listDifferences(differences: readonly Difference[]): string[] {
  const sorted = differences.toSorted((one, other) => PROBLEMS.indexOf(other.problem) - PROBLEMS.indexOf(one.problem));
  const lines = sorted.slice(0, LISTED).map(({ problem, id, accountId, environment, says }) => {
    const where = [accountId === id ? "" : accountId, environment].filter(Boolean).join(" ");
    return `    ${problem} ${id}${where ? ` (${where})` : ""}${says ? `: ${says}` : ""}`;
  });
  return sorted.length > LISTED ? [...lines, `    and ${sorted.length - LISTED} more`] : lines;
}
