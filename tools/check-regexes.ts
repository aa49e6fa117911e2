import { readdirSync, readFileSync } from "node:fs";
import { check } from "recheck";
import { findPythonRegexes, findRegexes, type Regex } from "./find-regexes.js";
import type { Listed } from "./listed-regexes.js";

const FOLDERS = "proto kit api site services gateway mcp client client-python conformance tools deploy".split(" ");
// Generated code, and code that only tests run.
const LEFT_OUT = /^(?:node_modules|dist|gen|testing|tests|\..*)$|\.test\.ts$/;
// recheck (4.5) decides most patterns within milliseconds. It cannot decide the listed ones, so they get a short timeout.
const [PATIENCE_MS, LISTED_PATIENCE_MS] = [120_000, 200];

/** The files of production code that can have regular expressions. */
export function productionFiles(folders: readonly string[] = FOLDERS): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (LEFT_OUT.test(entry.name)) return [];
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return productionFiles([path]);
      return /\.(?:tsx?|[cm]?js|py)$/.test(path) ? [path] : [];
    }),
  );
}

/** The regular expressions of a file. */
export function readRegexes(file: string): Regex[] {
  return (file.endsWith(".py") ? findPythonRegexes : findRegexes)(file, readFileSync(file, "utf8"));
}

/** The faults: patterns that are neither proved to take linear time nor listed, and unused entries of the list. */
export async function findFaults(regexes: readonly Regex[], listed: readonly Listed[]): Promise<string[]> {
  // recheck (4.5) starts a process for each call before the first has its answer, and one for all after it.
  await check("", "");
  const used = new Set<Listed>();
  const faults = regexes.map(async ({ file, line, pattern, flags }) => {
    const entry = listed.find((entry) => entry.file === file && entry.pattern === pattern);
    const built = entry?.built ?? pattern;
    if (built.includes("{{"))
      return [`${file}:${line}: the program builds /${pattern}/. List it with a pattern that it builds.`];
    const doubt = await findDoubt(built, flags, entry?.bound ? LISTED_PATIENCE_MS : PATIENCE_MS);
    if (entry && (entry.bound ? doubt : entry.built)) used.add(entry);
    return doubt === undefined || entry?.bound ? [] : [`${file}:${line}: /${built}/${flags} ${doubt}`];
  });
  const found = (await Promise.all(faults)).flat();
  const unused = listed.filter((entry) => !used.has(entry));
  return [
    ...found,
    ...unused.map(({ file, pattern }) => `${file}: /${pattern}/ need not be listed any more, or not with a bound.`),
  ];
}

/** Why a pattern may take more than linear time; undefined if it is proved that it takes no more. */
async function findDoubt(pattern: string, flags: string, timeout: number): Promise<string | undefined> {
  // A search for all matches continues after each match, so an alternative that looks far ahead without a match may do so repeatedly.
  const alternatives = /[gy]/.test(flags) ? split(pattern) : [];
  const whole = flags.includes("y") ? `^(?:${pattern})` : pattern;
  for (const part of alternatives.length > 1 ? [whole, ...alternatives] : [whole]) {
    const verdict = await check(part, flags.replace(/[gy]/g, ""), { checker: "automaton", timeout });
    if (verdict.status === "unknown") return `cannot be decided (${verdict.error.kind}). Simplify it, or list it.`;
    if (verdict.status === "vulnerable")
      return `takes ${verdict.complexity.summary} time, for example for ${verdict.attack.pattern}. Rewrite it, or list it with what bounds its input.`;
  }
  return undefined;
}

/** The alternatives of a pattern, outside of groups. */
function split(pattern: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const [token] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|./gs)) {
    if (token === "(") depth++;
    if (token === ")") depth--;
    if (token === "|" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}
