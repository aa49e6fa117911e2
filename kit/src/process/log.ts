import { Writable } from "node:stream";
import pino from "pino";
import { z } from "zod";
import { boundedOutput } from "./output.js";
import { isTracing, traceFields } from "./tracing.js";

/** A logger that writes one JSON line per request, RPC, delivery or event of a process's life. */
export type Log = pino.Logger;

/**
 * The patterns to redact. `sign` occurs in every text that its pattern matches. No pattern begins at a word boundary: clients put secrets
 * right behind other letters, and JSON puts `
 * ` there.
 */
const REDACTIONS: readonly { sign: string; pattern: RegExp; by: string }[] = [
  // The secret is base64 or base64url. URLs and JSON may escape `+`, `/` and `=`, also more than once.
  {
    sign: "whsec_",
    pattern: /(whsec_)(?:[\w+/=-]|%(?:25)*(?:2b|2f|3d)|\\+(?:\/|u00(?:2b|2f|3d)))+/gi,
    by: "$1[redacted]",
  },
  { sign: "service_(?:test|live)_", pattern: /(service_(?:test|live)_)[\w-]+/gi, by: "$1[redacted]" },
  { sign: "authorization", pattern: /("authorization"\s*:\s*")(?:[^"\\]|\\.)*"/gi, by: '$1[redacted]"' },
  { sign: "bearer", pattern: /(Bearer\s+)[^\s"\\]+/gi, by: "$1[redacted]" },
  // This matches any scheme: searching for its beginning would take time that grows with the square of the text's length.
  { sign: "://", pattern: /(:\/\/[^\s/:@"]*:)[^\s/@"]+@/g, by: "$1[redacted]@" },
];

// Every sign contains one of these characters or is followed by one, and this test costs a tenth of the next.
const HINT = /[_:\s]/;
// Almost no line contains a sign, and one test is cheaper than all replacements.
const SIGN = new RegExp(REDACTIONS.map(({ sign }) => sign).join("|"), "i");

/** Redacts webhook secrets, API keys, authorization headers and passwords in URLs, in any field. */
export function redact(text: string): string {
  if (!HINT.test(text) || !SIGN.test(text)) return text;
  return REDACTIONS.reduce((rest, { pattern, by }) => rest.replace(pattern, by), text);
}

// The first two: the secrets of customers.
const KEYS = REDACTIONS.slice(0, 2);

/** Redacts webhook secrets and API keys only, such as in the message of a refusal, which may well contain `Authorization: Bearer <key>`. */
export function redactKeys(text: string): string {
  if (!/whsec_|service_/i.test(text)) return text;
  return KEYS.reduce((rest, { pattern, by }) => rest.replace(pattern, by), text);
}

const logLevel = () => z.enum(["debug", "info", "warn", "error", "fatal", "silent"]);

/** The settings of the log of a process. */
export const logSettings = {
  LOG_LEVEL: logLevel().default("info").describe("lowest log level to write"),
  LOG_LEVEL_REQUESTS: logLevel()
    .optional()
    .describe("the same for the lines of requests and RPCs; LOG_LEVEL if not set"),
  LOG_LEVEL_ATTEMPTS: logLevel()
    .optional()
    .describe("the same for the lines of delivery attempts; LOG_LEVEL if not set"),
  LOG_LEVEL_FIELD: z
    .enum(["level", "severity"])
    .default("level")
    .describe("field with the level of a log line; severity has the names of Google Cloud, such as WARNING"),
};

/** The lines that every request or attempt writes, by their message. Their levels can be set apart from those of the rest. */
const KINDS = { request: "requests", rpc: "requests", attempt: "attempts" } as const;

/** The names of levels in the field `severity`, as collectors of Google Cloud know them. */
const SEVERITIES: Readonly<Record<string, string>> = {
  debug: "DEBUG",
  info: "INFO",
  warn: "WARNING",
  error: "ERROR",
  fatal: "CRITICAL",
};

interface LogOptions {
  part: string;
  /** The lowest level to write (`info`). */
  level?: string;
  /** The same for the lines of requests and of delivery attempts. */
  levels?: Readonly<Partial<Record<"requests" | "attempts", string>>>;
  /** The field with the level of a line. */
  field?: "level" | "severity";
  destination?: pino.DestinationStream;
}

/**
 * Creates the log of one part of the platform, on standard output unless a destination is given. Every line is redacted, and safe to read
 * on a terminal. A stream whose reader hangs does not delay the process.
 */
export function createLog(options: LogOptions): Log {
  const { destination = process.stdout, level = "info", field = "level" } = options;
  const values: Readonly<Record<string, number>> = { ...pino.levels.values, silent: Number.POSITIVE_INFINITY };
  const toValue = (name: string) => values[name] ?? 0;
  // The lowest level of lines with these messages; of all others, that of the log.
  const kinds = new Map(
    Object.entries(KINDS).map(([message, kind]) => [message, toValue(options.levels?.[kind] ?? level)]),
  );
  const lowest = [level, ...Object.values(options.levels ?? {})].sort((one, other) => toValue(one) - toValue(other))[0];
  const resumed = (lines: number) => log.warn({ lines }, "log lines were dropped, because the reader was too slow");
  const log = pino(
    {
      level: lowest ?? level,
      base: { part: options.part },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (name) => ({ [field]: field === "level" ? name : (SEVERITIES[name] ?? name) }) },
      mixin: () => (isTracing() ? traceFields() : {}),
      serializers: { err: describeError },
      hooks: {
        streamWrite: (line) => printable(redact(line)),
        logMethod(given, method, value) {
          const message = given.find((one) => typeof one === "string") ?? "";
          if (value >= (kinds.get(message) ?? toValue(level))) method.apply(this, given);
        },
      },
    },
    destination instanceof Writable ? boundedOutput(destination, resumed) : destination,
  );
  return log;
}

// pino's own serializer copies every property, and pg attaches the whole connection to its errors.
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return { type: name, message, code, constraint, stack, cause: describeError(cause) };
}

/** Returns true for a text that was not logged within the last minute, so that retries do not fill the log. */
export function onceAMinute(): (text: string) => boolean {
  const said = new Map<string, number>();
  return (text) => {
    const now = performance.now();
    for (const [old, at] of said) if (now - at >= 60_000) said.delete(old);
    return !said.has(text) && Boolean(said.set(text, now));
  };
}

/** A log that discards its lines, for tests that do not read them. */
export function silentLog(): Log {
  return pino({ level: "silent" });
}

/** These characters control the terminal that shows a text, or change the direction of the text around them. */
export const COMMANDING = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Removes control characters, keys and secrets from a text that a client sent, and shortens it to `most` characters. */
export function cleaned(text: string, most: number): string {
  // Control characters are stripped first: otherwise a key that contains one would be complete again afterwards.
  const clean = redact(text.replace(COMMANDING, ""));
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/**
 * Writes these characters as JSON escapes, except line ends, so that a terminal shows them instead of obeying them. JSON keeps its value.
 */
export function printable(text: string): string {
  return text.replace(COMMANDING, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
