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
const SAYS_SOMETHING = /[^\s|.,:;]/;

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

/** The statements that contain the quote or are part of it. Empty if the quote is not in the document. */
export function findQuote(statements: readonly Statement[], quote: string): Statement[] {
  return statements.filter(({ text }) => text.includes(quote) || quote.includes(text));
}

/** A sentence of the specification that no check proves as a whole. */
export interface Unproven {
  section: string;
  sentence: string;
  /** Empty if `unproven.ts` has none. */
  reason: string;
}

/** Maps a reason to sentences, each of them whole. */
export type Reasons = Readonly<Record<string, readonly string[]>>;

/** The quotes that are in no document, because the check or the document has changed. */
export function strayQuotes(documents: readonly (readonly Statement[])[], quotes: readonly string[]): string[] {
  return quotes.filter((quote) => documents.every((statements) => findQuote(statements, quote).length === 0));
}

/** The statements of the specification that checks do not prove word for word, with the reasons. */
export function findUnproven(statements: readonly Statement[], checks: readonly Check[], reasons: Reasons): Unproven[] {
  const quotes = checks.filter(({ profile }) => profile !== "contract").flatMap(({ proves }) => proves);
  const reasonFor = ({ text }: Statement) =>
    Object.keys(reasons).find((reason) => reasons[reason]?.includes(text)) ?? "";
  return statements
    .filter(({ text }) => !isProven(text, quotes))
    .map((statement) => ({ section: statement.section, sentence: statement.text, reason: reasonFor(statement) }));
}

function isProven(text: string, quotes: readonly string[]): boolean {
  if (quotes.some((quote) => quote.includes(text))) return true;
  const unquoted = text.split("");
  for (const quote of quotes) {
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1))
      unquoted.fill(" ", at, at + quote.length);
  }
  return !SAYS_SOMETHING.test(unquoted.join(""));
}

/** The reasons that apply to no sentence: the text is no whole sentence of the document, is proven, or has another reason as well. */
export function strayReasons(statements: readonly Statement[], checks: readonly Check[], reasons: Reasons): string[] {
  const left = new Set(findUnproven(statements, checks, reasons).map(({ sentence }) => sentence));
  return Object.values(reasons)
    .flat()
    .filter((sentence) => !left.delete(sentence));
}
