import { InvalidArgumentError } from "commander";
import { type Scope, scopes } from "../admission/api-key.js";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 36_500 * UNIT_MS.d;

/** Reads a list of scopes, separated by commas. */
export function parseScopes(text: string): Scope[] {
  const wanted = [...new Set(text.split(",").map((scope) => scope.trim()))];
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    const named = unknown.map((scope) => JSON.stringify(scope)).join(", ");
    throw new InvalidArgumentError(`Not a scope: ${named}. The scopes are ${scopes.join(", ")}.`);
  }
  return wanted.filter(isScope);
}

/** Reads a duration such as `90d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = text.match(/^([1-9][0-9]*)([smhd])$/) ?? [];
  const durationMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(durationMs <= LONGEST_MS)) {
    throw new InvalidArgumentError("It takes a whole number with s, m, h or d, up to 36500d.");
  }
  return durationMs;
}

function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
