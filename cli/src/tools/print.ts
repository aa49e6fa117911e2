import { printable } from "@shipping/kit/process/log";

/** Prints a result: with --json the value, otherwise the text. */
export type Print = (result: unknown, text: string) => void;

/** A result as JSON on one line: names in snake_case, times in ISO 8601, without null and undefined. */
export function toJson(result: unknown): string {
  return JSON.stringify(result, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [toSnakeCase(name), member]));
  });
}

/** Converts a property's name: `createdAt` becomes `created_at`. */
function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function inLine(text: string): string {
  return printable(text).replaceAll("\n", "\\u000a");
}

/** A table with a heading; each row is one line, whatever its cells contain. */
export function toTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((line) => line.map(inLine));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A table of names and values, without empty ones. */
export function toFacts(facts: Readonly<Record<string, string | undefined>>): string {
  const rows = Object.entries(facts).filter((fact): fact is [string, string] => Boolean(fact[1]));
  return toTable(["FACT", "VALUE"], rows);
}
