import type { Mail } from "./deliver.js";

/** The recipient is not one email address, and never will be. */
export class NotAnAddress extends Error {
  override readonly name = "NotAnAddress";
}

/** Whether a server will not change its mind (RFC 5321, 4.2.1): a wrong password, an address that is not there. */
export function isFinal(error: unknown): boolean {
  if (error instanceof NotAnAddress) return true;
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === "number" && responseCode >= 500;
}

/** What the log says of a failure. What a server says may hold what it was sent: no link and no address get into the log. */
export function reasonOf(error: unknown, mail: Mail | undefined): Record<string, unknown> {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown };
  const reason = String(message)
    .replaceAll(mail?.to || "[address]", "[address]")
    .replace(/https?:\/\/\S*/g, "[link]")
    .slice(0, 300);
  return { code, response_code: responseCode, reason };
}
