import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import type { Mutant } from "./find-mutants.js";

const TABLE = fileURLToPath(new URL("explained.yaml", import.meta.url));

/** The mutants that no test can detect, or that none should, by their file. */
export const explained: Readonly<Record<string, readonly [original: string, replacement: string, why: string][]>> =
  parse(readFileSync(TABLE, "utf8"));

export function isExplained({ file, original, replacement }: Omit<Mutant, "id" | "line">): boolean {
  return (explained[file] ?? []).some(([text, instead]) => text === original && instead === replacement);
}
