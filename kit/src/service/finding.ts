import { Unsupported } from "../process/supported-versions.js";
import type { Encryption } from "../tls/encryption.js";

/** The timeout for an answer from a server. */
export const ANSWER_MS = 3_000;

/** The result of a check, for operators. */
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

/** Runs a check. A thrown error becomes a finding: a version that is too old, or a part that is not reachable. */
export async function check(
  part: string,
  { at, advice }: { at?: string; advice: string },
  run: () => Promise<Omit<Finding, "part">>,
): Promise<Finding> {
  try {
    return { part, ...(await run()) };
  } catch (error) {
    const [says, what] =
      error instanceof Unsupported
        ? [error.message, "The platform does not start with it."]
        : [`not reachable${at ? ` at ${at}` : ""}: ${describeError(error)}`, advice];
    return { part, ok: false, says, advice: what };
  }
}
