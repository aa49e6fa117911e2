import { printable } from "@shipping/kit/process/log";
import { type Command, InvalidArgumentError, Option } from "commander";

/** Prints a result: as JSON, or in words. */
export type Print = (result: unknown, text: string) => void;

/** The end of a command's help: the command with these arguments, each line of which works as it is printed. */
export function examples(...lines: string[]): (help: { command: Command }) => string {
  return ({ command }) => {
    const names: string[] = [];
    for (let one: Command | null = command; one; one = one.parent) names.unshift(one.name());
    return `\nExamples:\n${lines.map((line) => `  ${[...names, line].join(" ").trimEnd()}`).join("\n")}`;
  };
}

/** A result as JSON on one line: names in snake_case, times in ISO 8601, nothing that is absent. */
export function toJson(result: unknown): string {
  return JSON.stringify(result, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
    return Object.fromEntries(members.map(([name, member]) => [snakeCased(name), member]));
  });
}

/** A protobuf message as a plain object, without the fields that the library adds. */
export function plain<T extends { $typeName: string; $unknown?: unknown }>({ $typeName, $unknown, ...facts }: T) {
  return facts;
}

/** A text as a part of one line. */
export function inLine(text: string): string {
  return printable(text).replaceAll("\n", "\\u000a");
}

/** Rows as a table for people: a heading, then columns as wide as they need to be. A row is one line, whatever stands in it. */
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

/** Facts one below the other, without those that are absent. */
export function toFacts(facts: Readonly<Record<string, string | undefined>>): string {
  const rows = Object.entries(facts).filter((fact): fact is [string, string] => Boolean(fact[1]));
  return toTable(["FACT", "VALUE"], rows);
}

function snakeCased(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const MAX_LISTED = 1_000;

/** The option that says how many rows a list has. */
export function limitOption(): Option {
  return new Option("--limit <count>", `maximum number of rows, 1 to ${MAX_LISTED}`).default(100).argParser((text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= MAX_LISTED) return count;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_LISTED}.`);
  });
}
