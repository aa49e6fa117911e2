/** Replaces the lines between the two comments that mark a generated section of a file that is otherwise written by hand. */
export function withSection(text: string, name: string, lines: string): string {
  const lineEnd = (index: number) => text.indexOf("\n", index) + 1;
  const begin = lineEnd(text.indexOf(`begin of ${name}, which \`npm run parts\` writes`));
  const end = text.lastIndexOf("\n", text.indexOf(`end of ${name}`)) + 1;
  if (begin === 0 || end < begin) throw new Error(`There are no comments around ${name}.`);
  return `${text.slice(0, begin)}${lines.trimEnd()}\n${text.slice(end)}`;
}

/** Breaks a comment into lines of YAML. */
export function comment(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 140) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}# ${word}`);
  }
  return lines.join("\n");
}
