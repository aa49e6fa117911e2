import type { Mail } from "./deliver.js";

/** The recipient is not one email address, and never will be. */
export class NotAnAddress extends Error {
  override readonly name = "NotAnAddress";
}

/** True if a retry cannot help (RFC 5321, 4.2.1): a wrong password, an address that does not exist. */
export function isFinal(error: unknown): boolean {
  if (error instanceof NotAnAddress) return true;
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === "number" && responseCode >= 500;
}

/** Describes a failure for the log. A server's reply can repeat what it was sent, so links and addresses are removed. */
export function reasonOf(error: unknown, mail: Mail | undefined): Record<string, unknown> {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown };
  const reason = String(message)
    .replaceAll(mail?.to || "[address]", "[address]")
    .replace(/https?:\/\/\S*/g, "[link]")
    .slice(0, 300);
  return { code, response_code: responseCode, reason };
}
