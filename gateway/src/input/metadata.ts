import { isClean, isWithin } from "./text.js";

export const METADATA_MAX_CHARACTERS = 4096;
const METADATA_MAX_LEVELS = 16;

/** A client's own JSON object, as parsed. */
export type Metadata = Record<string, unknown>;

/** The rule that a value breaks as `metadata`, or undefined. The size is that of what `JSON.stringify` writes. */
export function metadataFault(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "must be a JSON object";
  return (
    faultIn(value, METADATA_MAX_LEVELS) ??
    (isWithin(JSON.stringify(value), METADATA_MAX_CHARACTERS)
      ? undefined
      : `must have at most ${METADATA_MAX_CHARACTERS} characters when serialized`)
  );
}

function faultIn(value: unknown, levelsLeft: number): string | undefined {
  if (typeof value === "string" && !isClean(value)) return "must not contain control characters or lone surrogates";
  if (typeof value !== "object" || value === null) return undefined;
  if (levelsLeft === 0) return `must not be nested more than ${METADATA_MAX_LEVELS} levels deep`;
  for (const [name, member] of Object.entries(value)) {
    const fault = faultIn(name, levelsLeft) ?? faultIn(member, levelsLeft - 1);
    if (fault) return fault;
  }
  return undefined;
}
