import type { Encryption } from "./encryption.js";

export interface Finding {
  /** For instance `records database`. */
  part: string;
  ok: boolean;
  says: string;
  /** What to do, if something is wrong. */
  advice?: string;
  /** How the connection of this check is protected; the parts make theirs in the same way. */
  encryption?: Encryption;
}

/** An error on one line. Node's error for a host with several addresses has a code and no message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = (error.message || (error as NodeJS.ErrnoException).code || error.name).replace(/\s+/g, " ").trim();
  if (!(error.cause instanceof Error)) return text;
  const cause = describeError(error.cause);
  return cause.startsWith(text) ? cause : `${text} (${cause})`;
}
