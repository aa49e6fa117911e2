/** A statement with one change. Placeholders are `$0`, `$1` … */
interface SqlMutant {
  /** The position of the change in the text, and the text there before and after. */
  at: number;
  original: string;
  replacement: string;
  text: string;
}

/** The words that end a condition outside brackets. */
const ENDS =
  /^(AND|OR|ORDER|GROUP|LIMIT|RETURNING|FOR|ON|UNION|THEN|ELSE|END|AS|FROM|WHERE|HAVING|WINDOW|JOIN|LEFT|CROSS|OFFSET|SET|SELECT|USING|DO)\b|^[,;]/;

/** The end of the condition or clause that begins at `start`: a keyword, a comma, or the closing bracket around it. */
function endOf(text: string, start: number, ends: RegExp): number {
  let depth = 0;
  let isBetween = false;
  for (let at = start; at < text.length; at += 1) {
    const rest = text.slice(at);
    if (depth === 0 && at > start && (!/\w/.test(text[at - 1] ?? "") || /[,;]/.test(text[at] ?? ""))) {
      const isPart = (isBetween && /^AND\b/.test(rest)) || /\bDISTINCT\s+$/.test(text.slice(0, at));
      if (ends.test(rest) && !isPart) return at;
      isBetween = /^BETWEEN\b/.test(rest) || (isBetween && !/^AND\b/.test(rest));
    }
    if (/[([]/.test(text[at] ?? "")) depth += 1;
    else if (/[)\]]/.test(text[at] ?? "")) depth -= 1;
    if (depth < 0) return at;
  }
  return text.length;
}

/**
 * The mutants of a statement: a condition that always holds (or of several joined by OR never does), `<` for `<=`, no ORDER BY, no lock of
 * rows, no ON CONFLICT, no LIMIT, EXISTS for NOT EXISTS, `least` for `greatest`.
 */
export function sqlMutants(text: string): SqlMutant[] {
  const found: SqlMutant[] = [];
  const replace = (at: number, end: number, replacement: string) => {
    const original = text.slice(at, end);
    found.push({ at, original, replacement, text: text.slice(0, at) + replacement + text.slice(end) });
  };
  for (const { 0: keyword, index } of text.matchAll(/\b(WHERE|AND|OR|WHEN|FILTER \(WHERE)\s+/g)) {
    const start = index + keyword.length;
    // The second part of BETWEEN is no condition, and neither is OR in CREATE OR REPLACE.
    if (/^AND/.test(keyword) && /\bBETWEEN\s+(?:(?!\bAND\b|\bOR\b|\bWHERE\b)[\s\S])*$/.test(text.slice(0, index)))
      continue;
    const end = endOf(text, start, ENDS);
    const condition = text.slice(start, end).trimEnd();
    const never = /^OR/.test(keyword);
    if (condition && !/^(MATCHED|NOT MATCHED|true|false)\b/.test(condition))
      replace(start, start + condition.length, never ? "false" : "true");
  }
  const swaps = [
    [/(?<=[\s\w)])<=(?=[\s$])/g, "<"],
    [/(?<=[\s\w)])<(?=[\s$])/g, "<="],
    [/(?<=[\s\w)])>=(?=[\s$])/g, ">"],
    [/(?<=[\s\w)])>(?=[\s$])/g, ">="],
    [/\bNOT EXISTS\b/g, "EXISTS"],
    [/\bgreatest(?=\()/g, "least"],
    [/\bleast(?=\()/g, "greatest"],
    [/ \+ (?=interval|\$)/g, " - "],
    [/ DESC\b/g, ""],
    [/\bSKIP LOCKED\b/g, ""],
    [/\bFOR (NO KEY )?(UPDATE|SHARE|KEY SHARE)( OF \w+)?( SKIP LOCKED)?/g, ""],
    [/\bON CONFLICT( \([^)]*\))? DO NOTHING/g, ""],
  ] as const;
  for (const [searched, replacement] of swaps)
    for (const { 0: original, index } of text.matchAll(searched)) replace(index, index + original.length, replacement);
  for (const { 0: clause, index } of text.matchAll(/\b(ORDER BY|LIMIT)\s+/g)) {
    const ends = clause.startsWith("LIMIT")
      ? /^(FOR|OFFSET|RETURNING|UNION)\b|^[,;]/
      : /^(LIMIT|FOR|ON|RETURNING|UNION|ROWS|RANGE)\b|^;/;
    replace(index, index + text.slice(index, endOf(text, index + clause.length, ends)).trimEnd().length, "");
  }
  return found;
}
