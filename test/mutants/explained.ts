import type { Mutant } from "./find-mutants.js";

/** Mutants that no test can notice, or that none should. `original` is their text in the file, or the part of it that `replacement` stands for. */
export const explained: { file: string; original: string; replacement: string; why: string }[] = [];

const known = new Set(
  explained.map(({ file, original, replacement }) => JSON.stringify([file, original, replacement])),
);

export function isExplained({ file, original, replacement }: Omit<Mutant, "id" | "line">): boolean {
  return known.has(JSON.stringify([file, original, replacement]));
}
