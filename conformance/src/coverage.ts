import type { Check } from "./check.js";
import { quoted, type Statement } from "./document.js";

/** Sentences of the specification that no check proves, wholly or in part. */
export interface Unproven {
  section: string;
  sentence: string;
  /** Empty where nobody has said why. */
  reason: string;
}

/** Reasons, and the sentences, or parts of them, that each is the reason for. */
export type Reasons = Readonly<Record<string, readonly string[]>>;

/** The quotes that are in no document: whoever changed one or the other has to look again. */
export function strayQuotes(documents: readonly (readonly Statement[])[], quotes: readonly string[]): string[] {
  return quotes.filter((quote) => documents.every((statements) => quoted(statements, quote).length === 0));
}

/** What of a document no check proves, and why. */
export function unprovenOf(statements: readonly Statement[], checks: readonly Check[], reasons: Reasons): Unproven[] {
  const touched = new Set(checks.flatMap(({ proves }) => proves.flatMap((quote) => quoted(statements, quote))));
  const reasonFor = ({ text }: Statement) =>
    Object.keys(reasons).find((reason) => reasons[reason]?.some((part) => text.includes(part))) ?? "";
  return statements
    .map((statement) => ({ statement, reason: reasonFor(statement) }))
    .filter(({ statement, reason }) => reason !== "" || !touched.has(statement))
    .map(({ statement: { section, text }, reason }) => ({ section, sentence: text, reason }));
}
