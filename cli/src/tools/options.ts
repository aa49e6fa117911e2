import { InvalidArgumentError, Option } from "commander";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_MS = 36_500 * UNIT_MS.d;

/** Reads a duration such as `90d`, in milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = text.match(/^([1-9][0-9]*)([smhd])$/) ?? [];
  const durationMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(durationMs <= MAX_MS)) {
    throw new InvalidArgumentError("Use a whole number with s, m, h or d, up to 36500d.");
  }
  return durationMs;
}

export function sinceOption(): Option {
  return new Option("--since <time>", "only events received since then: ISO 8601, or an age such as 7d")
    .default(ago(UNIT_MS.d), "24h")
    .argParser(parseSince);
}

function parseSince(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return ago(parseDuration(text));
  const at = Date.parse(text);
  const since = Number.isNaN(at) ? "" : new Date(at).toISOString();
  // PostgreSQL does not understand how JavaScript writes other years.
  if (/^(?!0000)\d{4}-/.test(since)) return since;
  throw new InvalidArgumentError("Use a time such as 2026-01-31T12:00:00Z, or 90m, 24h, 7d.");
}

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

const MAX_LISTED = 1_000;

export function limitOption(): Option {
  return new Option("--limit <count>", `maximum number of rows, 1 to ${MAX_LISTED}`).default(100).argParser((text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count >= 1 && count <= MAX_LISTED) return count;
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_LISTED}.`);
  });
}

export function environmentOption(description: string): Option {
  return new Option("--environment <environment>", description).choices(["sandbox", "live"]).makeOptionMandatory();
}

export function accountOption(): Option {
  return new Option(
    "--account <account>",
    "ID of the account, or its name if the name is unique; default: the only account",
  );
}

/** The option of commands that suspend, resume or erase an account, which must be named explicitly. */
export function namedAccountOption(): Option {
  return new Option(
    "--account <account>",
    "ID of the account, or its name if the name is unique",
  ).makeOptionMandatory();
}
