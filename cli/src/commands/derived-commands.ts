import { describeError, type Finding } from "@shipping/kit/service/finding";
import type { Platform } from "../platform/find-platform.js";
import { deployedParts } from "../platform/find-platform.js";
import type { Part } from "../platform/parts.js";
import {
  compareDerived,
  countProblems,
  listDifferences,
  repairDerived,
  type WalkedKind,
} from "../platform/walk-derived.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { toTable } from "../tools/print.js";

/** Adds the command that repairs rows which are derived from others. */
export function addDerivedCommands(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("derived")
    .description("Repair rows that are derived from others: search, tracking, statuses, events, the portal's accounts")
    .examples("repair")
    .command("repair")
    .description("Compare all derived rows with their source, repair them, and list those whose source is gone")
    .examples("", "--json")
    .changes(async () => {
      const found = await platform();
      const walked = await repairDerived(found, deployedParts(found));
      print(
        walked,
        [toTable(["PART", "ROWS", "COMPARED", "WRONG"], walked.map(kindRow)), ...lostIn(walked)].join("\n"),
      );
    });
}

function kindRow({ part, kind, compared, differences }: WalkedKind): string[] {
  return [part, kind, String(compared), countProblems(differences) || "0"];
}

function lostIn(walked: readonly WalkedKind[]): string[] {
  const lost = walked.flatMap(({ differences }) => differences).filter(({ problem }) => problem === "lost");
  if (lost.length === 0) return [];
  return ["", "Not repaired, because the source is gone:", ...listDifferences(lost)];
}

const ADVICE = "Run derived repair. What is lost stays so: docs/operations/backup.md says what to do about it.";

export type DerivedFinding = Finding & Partial<Pick<WalkedKind, "differences">>;

/** One finding for each kind of a part's derived rows, with what is wrong by ID. */
export async function checkDerived(platform: Platform, part: Part, waitMs: number): Promise<DerivedFinding[]> {
  try {
    return (await compareDerived(platform, part, waitMs)).map(toFinding);
  } catch (error) {
    return [{ part: `${part} derived rows`, ok: false, says: `not compared: ${describeError(error)}` }];
  }
}

function toFinding({ part, kind, compared, differences }: WalkedKind): DerivedFinding {
  const about = { part: `${part} ${kind}`, ok: differences.length === 0 };
  if (about.ok) return { ...about, says: `${compared} compared, all right` };
  return { ...about, says: `${compared} compared: ${countProblems(differences)}`, advice: ADVICE, differences };
}
