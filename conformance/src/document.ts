/** A sentence or a row of a table, and the heading that it stands under. */
export interface Statement {
  section: string;
  text: string;
}

const HEADING = /^#+ (.*)$/;
const RULE_OF_TABLE = /^\|[-| ]+\|$/;
const LIST_MARK = /^(?:- |\d+\. )/;
// A sentence ends where the next one begins with a capital, a backtick or a quotation mark.
const SENTENCE_END = /(?<=[.!?])\s+(?=[A-Z`"])/;

/** What a Markdown document states, from its first sentence to its last. */
export function statementsOf(markdown: string): Statement[] {
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

/** The statements that a quote touches: those it is a part of, and those that are a part of it. None: it is no quote. */
export function quoted(statements: readonly Statement[], quote: string): Statement[] {
  return statements.filter(({ text }) => text.includes(quote) || quote.includes(text));
}
