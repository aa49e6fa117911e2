import type { TooOld } from "@shipping/kit/process/supported-versions";

/** A finding of the doctor. */
export interface Finding {
  /** For instance `records database`. */
  part: string;
  ok: boolean;
  says: string;
  /** What to do about it, if something is wrong. */
  advice?: string;
}

/** Something that the platform runs on is older than it needs. */
export function tooOld(part: string, error: TooOld): Finding {
  return { part, ok: false, says: error.message, advice: "Upgrade it. The platform does not start with this version." };
}

/** Why something failed, on one line. Node's error for a name with several addresses has a code and no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const text = (error.message || (error as NodeJS.ErrnoException).code || error.name).replace(/\s+/g, " ").trim();
  if (!(error.cause instanceof Error)) return text;
  const cause = reasonOf(error.cause);
  return cause.startsWith(text) ? cause : `${text} (${cause})`;
}
