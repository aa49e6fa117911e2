import { parseSync } from "@swc/core";

/** A regular expression as the source has it. */
export interface Regex {
  file: string;
  line: number;
  /** The pattern. Parts that are known only at run time appear as their source in `{{…}}`. */
  pattern: string;
  flags: string;
}

/** A node of the syntax tree. */
interface Tree {
  type?: string;
  span?: { start: number; end: number };
  value?: unknown;
  [property: string]: unknown;
}

/** The regular expressions of a TypeScript or JavaScript file: literals, and calls of `RegExp`, whose constants of the same file are filled in. */
export function findRegexes(file: string, text: string): Regex[] {
  const isJsx = file.endsWith("x");
  const syntax = /\.tsx?$/.test(file) ? { syntax: "typescript", tsx: isJsx } : { syntax: "ecmascript", jsx: isJsx };
  const nodes = below(parseSync(text, { ...syntax, target: "es2024" } as Parameters<typeof parseSync>[1]), []);
  const bytes = Buffer.from(text);
  // swc counts bytes, from 1.
  const textBefore = ({ span }: Tree) => bytes.subarray(0, (span?.start ?? 1) - 1).toString();
  const constants = new Map(
    nodes
      .filter(({ type, init }) => type === "VariableDeclarator" && init)
      .map(({ id, init }) => [(id as Tree).value, init as Tree]),
  );

  /** The text that an expression yields, as far as this file tells. */
  function toText(node: Tree): string {
    if (node.type === "StringLiteral") return String(node.value);
    if (node.type === "TemplateLiteral") {
      const values = (node.expressions as Tree[]).map(toText);
      return (node.quasis as { cooked: string }[]).map(({ cooked }, n) => cooked + (values[n] ?? "")).join("");
    }
    const constant = node.type === "Identifier" && constants.get(node.value);
    const known = constant && /^(?:String|Template)Literal$/.test(constant.type ?? "") && toText(constant);
    if (typeof known === "string") return known;
    return `{{${bytes.subarray((node.span?.start ?? 1) - 1, (node.span?.end ?? 1) - 1)}}}`;
  }

  return nodes.flatMap((node) => {
    const line = () => textBefore(node).split("\n").length;
    if (node.type === "RegExpLiteral")
      return { file, line: line(), pattern: String(node.pattern), flags: String(node.flags) };
    if ((node.callee as Tree | undefined)?.value !== "RegExp") return [];
    const [pattern, flags] = (node.arguments as { expression: Tree }[]).map(({ expression }) => expression);
    return { file, line: line(), pattern: pattern ? toText(pattern) : "", flags: flags ? toText(flags) : "" };
  });
}

/** Adds a node, and all below it, to the nodes. */
function below(tree: object, nodes: Tree[]): Tree[] {
  if ("type" in tree) nodes.push(tree as Tree);
  for (const part of Object.values(tree)) if (typeof part === "object" && part !== null) below(part, nodes);
  return nodes;
}

const CALL = /\bre\.(\w+)\(/g;
const PATTERN = /\s*r"((?:[^"\\]|\\.)*)"/y;
const FLAG = /,[^()]*\bre\.(IGNORECASE|DOTALL)\b/y;
const FLAGS: Readonly<Record<string, string>> = { IGNORECASE: "i", DOTALL: "s" };
// Functions of `re` that take no pattern.
const NO_PATTERN = new Set(["escape", "purge"]);

/**
 * The regular expressions of a Python file, in the syntax of JavaScript. Each is a raw string in double quotes in a call of the module
 * `re`, so that it is found; any other form is an error.
 */
export function findPythonRegexes(file: string, text: string): Regex[] {
  if (/\bfrom re import|\bimport re as/.test(text))
    throw new Error(`${file}: write "import re", and "re." before names.`);
  return [...text.matchAll(CALL)].flatMap(({ 0: call, 1: name = "", index }) => {
    if (NO_PATTERN.has(name)) return [];
    const line = text.slice(0, index).split("\n").length;
    PATTERN.lastIndex = index + call.length;
    const [, pattern] = PATTERN.exec(text) ?? [];
    FLAG.lastIndex = PATTERN.lastIndex;
    const [, flag = ""] = FLAG.exec(text) ?? [];
    if (pattern === undefined || /\\[AZ]/.test(pattern))
      throw new Error(`${file}:${line}: write the pattern as r"…", in the syntax that JavaScript has, too.`);
    const whole = { fullmatch: `^(?:${pattern})$`, match: `^(?:${pattern})` }[name] ?? pattern;
    return { file, line, pattern: whole, flags: FLAGS[flag] ?? "" };
  });
}
