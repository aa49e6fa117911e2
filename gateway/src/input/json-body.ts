import { isUtf8 } from "node:buffer";
import { fail, failFields } from "@shipping/kit/errors";
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
  const value = parse(text);
  // Everything after this walks recursively.
  if (levels(text) > MAX_LEVELS) {
    throw failFields([{ path: "body", message: `must be nested at most ${MAX_LEVELS} levels deep` }]);
  }
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

/** How deep the arrays and objects of a valid JSON text are nested. */
function levels(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") deepest = Math.max(deepest, ++depth);
    else if (character === "}" || character === "]") depth--;
  }
  return deepest;
}
