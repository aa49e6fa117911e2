import { isBlank } from "@shipping/kit/blank";
import { isClean } from "./text.js";

/** The most characters of a name. */
export const MAX_NAME_LENGTH = 200;
const NAME = /^\P{Cc}{1,200}$/u;

/** The rule for names, as the end of a sentence that says "must have". */
export const NAME_RULE = "1 to 200 characters, at least one of them visible, and no control characters";

export function isName(text: string): boolean {
  return NAME.test(text) && !isBlank(text) && isClean(text);
}
