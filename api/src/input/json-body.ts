import { isUtf8 } from "node:buffer";
import { type Failure, fail, failFields } from "@shipping/kit/errors";
import { findAdvice } from "./json-advice.js";
import { findLostNumbers, type LostNumbers, NONE_LOST } from "./lost-numbers.js";

const MAX_LEVELS = 32;

export interface JsonBody {
  value: unknown;
  /** The numbers that `value` does not represent exactly. */
  lost: LostNumbers;
}

/** Wraps a body that was not parsed from JSON, such as that of a form. */
export function jsonBody(value: unknown): JsonBody {
  return { value, lost: NONE_LOST };
}

/**
 * Parses a JSON body. Refuses invalid UTF-8, invalid JSON (including a byte order mark) and too many levels. `expected` describes the required body
 * in words.
 */
export function parseJsonBody(bytes: Buffer, expected = "a JSON object"): JsonBody {
  if (!isUtf8(bytes)) throw fail("invalid_json", "The body is not valid UTF-8. Encode it as UTF-8.");
  const text = bytes.toString();
  // The functions after this check are recursive.
  if (isTooDeep(text)) {
    const fault = findJsonFault(text);
    if (fault !== undefined) throw notJson(text, expected, fault);
    throw failFields([{ path: "body", message: `must not be nested more than ${MAX_LEVELS} levels deep` }]);
  }
  const value = parse(text, expected);
  return { value, lost: findLostNumbers(text) };
}

// V8's parser is not recursive, so no body of 64 KiB can overflow its stack.
function parse(text: string, expected: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(text, expected);
  }
}

/** Describes where a text is not JSON. V8's own message contains parts of the body. */
function notJson(text: string, expected: string, at = findJsonFault(text) ?? 0): Failure {
  if (text.startsWith("\ufeff")) return fail("invalid_json", "The body begins with a byte order mark. Remove it.");
  if (text.trim() === "") return fail("invalid_json", `The body is empty. Send ${expected}.`);
  if (at === text.length) return fail("invalid_json", "The body is not valid JSON: it ends before it is complete.");
  const before = text.slice(0, at);
  const lines = before.split("\n");
  const place = `line ${lines.length}, column ${at - before.lastIndexOf("\n")}`;
  const advice = findAdvice(before, text.slice(at));
  return fail("invalid_json", `The body is not valid JSON: unexpected character at ${place}.${advice}`);
}

const [QUOTE, BACKSLASH] = [34, 92];
/** The ASCII codes of `[` and `{`, and of `]` and `}`. */
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Whether arrays and objects are nested too deep. The result is right only for valid JSON. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) inString = !inString;
    else if (inString) at += character === BACKSLASH ? 1 : 0;
    else if (OPENING.has(character) && ++depth > MAX_LEVELS) return true;
    else if (CLOSING.has(character)) depth--;
  }
  return false;
}

const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;
const BLANKS = " \t\n\r";
const SIGNS = "[]{},:";

/** The tokens that may come next. */
enum Next {
  Value,
  ValueOrEnd,
  Name,
  NameOrEnd,
  Colon,
  CommaOrEnd,
}

const startsValue = (next: Next) => next === Next.Value || next === Next.ValueOrEnd;

/**
 * Returns the index of the first token that is not valid JSON (RFC 8259), the length of the text if it ends too early, or undefined if it is valid.
 * Creates no values: from a body of thousands of nested brackets, `JSON.parse` creates so many arrays that garbage collection stops the process for
 * longer than the parser.
 */
export function findJsonFault(text: string): number | undefined {
  const open: string[] = [];
  let next: Next | undefined = Next.Value;
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? "";
    if (BLANKS.includes(character)) {
      at++;
      continue;
    }
    if (open.length === 0 && next === Next.CommaOrEnd) return at;
    const start = at;
    if (SIGNS.includes(character)) {
      next = after(next, character, open);
      at++;
    } else {
      const form = character === '"' ? STRING : SCALAR;
      form.lastIndex = at;
      if (!form.test(text)) return start;
      next = after(next, character === '"' ? "string" : "scalar", open);
      at = form.lastIndex;
    }
    if (next === undefined) return start;
  }
  return open.length === 0 && next === Next.CommaOrEnd ? undefined : text.length;
}

/** The tokens that may follow this one; undefined if this one is not allowed here. Updates the stack of open brackets. */
function after(next: Next, token: string, open: string[]): Next | undefined {
  switch (token) {
    case "[":
    case "{":
      if (!startsValue(next)) return undefined;
      open.push(token);
      return token === "[" ? Next.ValueOrEnd : Next.NameOrEnd;
    case "]":
      return ends(next, Next.ValueOrEnd) && open.pop() === "[" ? Next.CommaOrEnd : undefined;
    case "}":
      return ends(next, Next.NameOrEnd) && open.pop() === "{" ? Next.CommaOrEnd : undefined;
    case ",":
      if (next !== Next.CommaOrEnd) return undefined;
      return open.at(-1) === "[" ? Next.Value : Next.Name;
    case ":":
      return next === Next.Colon ? Next.Value : undefined;
    case "string":
      if (next === Next.Name || next === Next.NameOrEnd) return Next.Colon;
      return startsValue(next) ? Next.CommaOrEnd : undefined;
    default:
      return startsValue(next) ? Next.CommaOrEnd : undefined;
  }
}

const ends = (next: Next, whenEmpty: Next) => next === Next.CommaOrEnd || next === whenEmpty;
