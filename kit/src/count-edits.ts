/** Returns how many characters must be inserted, removed or replaced to turn one text into another (Levenshtein). */
export function countEdits(from: string, to: string): number {
  const others = [...to];
  let row = Array.from({ length: others.length + 1 }, (_, column) => column);
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1];
    for (const [column, other] of others.entries())
      next.push(Math.min(row[column]! + Number(character !== other), row[column + 1]! + 1, next[column]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
