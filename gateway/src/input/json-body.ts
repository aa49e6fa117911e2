import { isUtf8 } from "node:buffer";
import { fail, failFields } from "@shipping/kit/errors";
import { isJson } from "./json-syntax.js";
import { type LostNumbers, lostNumbers, NONE_LOST } from "./lost-numbers.js";

const MAX_LEVELS = 32;

/** A body as it was sent. */
export interface JsonBody {
  value: unknown;
  /** The numbers of its text that are others in `value`. */
  lost: LostNumbers;
}

/** A body that was made of no text: nothing of it is lost. */
export function jsonBody(value: unknown): JsonBody {
  return { value, lost: NONE_LOST };
}

/** Reads a JSON body. Refuses what is not UTF-8 or not JSON (a byte order mark is neither) and what is nested too deep. */
export function parseJsonBody(bytes: Buffer): JsonBody {
  if (!isUtf8(bytes)) throw fail("invalid_json", "The body is not valid UTF-8.");
  const text = bytes.toString();
  // Everything after this walks recursively.
  if (isTooDeep(text)) {
    if (!isJson(text)) throw fail("invalid_json");
    throw failFields([{ path: "body", message: `must not be nested more than ${MAX_LEVELS} levels deep` }]);
  }
  const value = parse(text);
  return { value, lost: lostNumbers(text) };
}

// V8's parser is not recursive: no depth that fits into a body overflows its stack.
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

const [QUOTE, BACKSLASH] = [34, 92];
/** Of brackets and braces: the opening ones and the closing ones, in ASCII. */
const OPENING = new Set([91, 123]);
const CLOSING = new Set([93, 125]);

/** Whether arrays and objects are nested too deep, as far as the text is JSON. */
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
