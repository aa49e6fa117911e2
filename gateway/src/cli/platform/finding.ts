import type { Encryption } from "./encryption.js";

export interface Finding {
  /** The checked part, for instance `records database`. */
  part: string;
  ok: boolean;
  says: string;
  /** The steps that fix the problem, if there is one. */
  advice?: string;
  /** The protection of this check's connection. The parts connect in the same way. */
  encryption?: Encryption;
}

/** Describes an error on one line. Node's error for a host with several IP addresses has a code but no message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = (error.message || (error as NodeJS.ErrnoException).code || error.name).replace(/\s+/g, " ").trim();
  if (!(error.cause instanceof Error)) return text;
  const cause = describeError(error.cause);
  return cause.startsWith(text) ? cause : `${text} (${cause})`;
}
