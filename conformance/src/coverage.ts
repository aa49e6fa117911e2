import type { Check } from "./check.js";

/** A sentence or a table row of a document, and its heading. */
export interface Statement {
  section: string;
  text: string;
}

const HEADING = /^#+ (.*)$/;
const RULE_OF_TABLE = /^\|[-| ]+\|$/;
const LIST_MARK = /^(?:- |\d+\. )/;
// A sentence ends where the next one begins with a capital, a backtick or a quotation mark.
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z`"])/;

/** The statements of a Markdown document, in order. */
export function parseStatements(markdown: string): Statement[] {
  const statements: Statement[] = [];
  const lines = markdown.split("\n").map((line) => line.trim());
  let section = "";
  lines.forEach((line, index) => {
    const heading = HEADING.exec(line);
    if (heading) section = heading[1] ?? "";
    const isTableHead = RULE_OF_TABLE.test(lines[index + 1] ?? "");
    if (line === "" || heading || isTableHead || RULE_OF_TABLE.test(line)) return;
    const texts = line.startsWith("|") ? [line] : line.replace(LIST_MARK, "").split(SENTENCE_END);
    statements.push(...texts.map((text) => ({ section, text })));
  });
  return statements;
}

/** The statements that contain the quote or are part of it. None: the quote is not in the document. */
export function findQuote(statements: readonly Statement[], quote: string): Statement[] {
  return statements.filter(({ text }) => text.includes(quote) || quote.includes(text));
}

/** A sentence of the specification that no check proves, or not completely. */
export interface Unproven {
  section: string;
  sentence: string;
  /** Empty if `unproven.ts` has none. */
  reason: string;
}

/** Maps a reason to sentences, or parts of them. */
export type Reasons = Readonly<Record<string, readonly string[]>>;

/** The quotes that are in no document, because the check or the document has changed. */
export function strayQuotes(documents: readonly (readonly Statement[])[], quotes: readonly string[]): string[] {
  return quotes.filter((quote) => documents.every((statements) => findQuote(statements, quote).length === 0));
}

/** The statements that no check proves, or not completely, with the reasons. */
export function findUnproven(statements: readonly Statement[], checks: readonly Check[], reasons: Reasons): Unproven[] {
  const touched = new Set(checks.flatMap(({ proves }) => proves.flatMap((quote) => findQuote(statements, quote))));
  const reasonFor = ({ text }: Statement) =>
    Object.keys(reasons).find((reason) => reasons[reason]?.some((part) => text.includes(part))) ?? "";
  return statements
    .map((statement) => ({ statement, reason: reasonFor(statement) }))
    .filter(({ statement, reason }) => reason !== "" || !touched.has(statement))
    .map(({ statement: { section, text }, reason }) => ({ section, sentence: text, reason }));
}
