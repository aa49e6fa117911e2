import { isBlank } from "@shipping/kit/blank";
import { isId } from "@shipping/kit/ids";
import { z } from "zod";
import { CLEAN_PATTERN, codePointOf, FILLED_PATTERN, findForbidden, isClean, isWithin } from "./text.js";

// The rules of single fields, of which the schemas are made.

const NO_CONTROLS = "without control characters or lone surrogates";

export const REQUIRED = "is required";
/** C#, Java and others write null for members that are not set. Null is refused nevertheless, because the specification requires a string. */
export const NULL = "is null: omit the field";

/** An error for each violation of a rule, so that each field is reported once. Null has its own, because most clients mean "absent". */
export function rule(sentence: string, ifNull = REQUIRED, reasonOf: (input: unknown) => string = () => "") {
  const toSentence = (input: unknown) => {
    if (input === undefined) return REQUIRED;
    return input === null ? ifNull : sentence + reasonOf(input);
  };
  return { error: (issue: { input?: unknown }) => toSentence(issue.input) };
}

/** The rule that a value is an object. Clients that encode twice send its JSON as a string. */
export function ruleOfObjects(ifNull = REQUIRED) {
  const isEncoded = (input: unknown) => typeof input === "string" && /^\s*\{/.test(input);
  return rule("must be a JSON object", ifNull, (input) =>
    isEncoded(input) ? ", not a string with JSON in it: encode it once" : "",
  );
}

/** Says what breaks the rules of texts, unless it is obvious. */
function whyNoText(input: unknown, max: number): string {
  if (typeof input === "number") return ": it is a number, so put it in quotes";
  if (typeof input !== "string") return "";
  const [seen] = /[^\p{White_Space}]/u.exec(input) ?? [];
  if (seen && isBlank(input)) return `: it has only invisible characters, such as ${codePointOf(seen)}`;
  const forbidden = findForbidden(input);
  if (forbidden !== undefined) return `: it has the character ${codePointOf(forbidden)}`;
  return isWithin(input, max) ? "" : `: it has ${[...input].length} characters`;
}

export function requiredText(description: string, max = Number.POSITIVE_INFINITY) {
  const length = Number.isFinite(max) ? `1 to ${max} characters` : "at least 1 character";
  const error = rule(`must be a string of ${length}, not blank, ${NO_CONTROLS}`, REQUIRED, (input) =>
    whyNoText(input, max),
  );
  return z
    .string(error)
    .refine((text) => !isBlank(text) && isClean(text) && isWithin(text, max), error)
    .meta({ description, minLength: 1, pattern: FILLED_PATTERN, ...(Number.isFinite(max) && { maxLength: max }) });
}

export function optionalText(description: string, max = Number.POSITIVE_INFINITY) {
  const length = Number.isFinite(max) ? `of at most ${max} characters, ` : "";
  const error = rule(`must be a string ${length}${NO_CONTROLS}`, NULL, (input) => whyNoText(input, max));
  return z
    .string(error)
    .refine((text) => isClean(text) && isWithin(text, max), error)
    .meta({ description, pattern: CLEAN_PATTERN, ...(Number.isFinite(max) && { maxLength: max }) })
    .exactOptional();
}

export function measure(description: string) {
  const { error } = rule("must be a number greater than 0 and at most 1000", REQUIRED, (input) =>
    typeof input === "string" ? ", without quotes and with a decimal point, such as 1.5" : "",
  );
  return z.number({ error }).gt(0, { error }).lte(1000, { error }).meta({ description });
}

/** Whether a query's parameter has what programs write for a missing value. */
export function isNoValue(input: unknown): boolean {
  return typeof input === "string" && /^(?:|null|undefined|none|nil|nan|false)$/i.test(input);
}

/** Describes an ID without its form: docs/versioning.md allows new forms, which clients of an older document must be able to send. */
export function opaque(id: z.ZodString, description: string) {
  return id.meta({ description, minLength: 1, maxLength: 255 });
}

/** The ids of one resource: the prefix, `_`, and 26 base32 characters. */
export function resourceId(prefix: string, resource: string) {
  const sentence = `must be the next_cursor of the previous page, which is the ID of ${resource}`;
  const isFirst = (input: unknown) => isNoValue(input) || input === "0" || input === "1";
  const id = z.string().refine((text) => isId(prefix, text), {
    error: ({ input }) => (isFirst(input) ? `is ${input || "empty"}: omit it for the first page` : sentence),
  });
  return opaque(id, `ID of ${resource}. Opaque.`);
}
