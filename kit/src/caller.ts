import type { Caller as CallerMessage, Claim as ClaimMessage } from "@shipping/proto/shipping/common/v1/common_pb";
import { fail } from "./errors.js";

/** The environments that an API key can belong to. */
export type Environment = "sandbox" | "live";

/** The account and environment that a request acts for. All access to owned data goes through it. */
export interface Caller {
  accountId: string;
  environment: Environment;
}

/** The registry's claim under which a write is executed at most once. `token` is the fencing number. */
export interface Claim {
  idempotencyKey: string;
  token: bigint;
  fingerprint: Uint8Array;
  /** The author of the request: the ID of an API key, or a member's email address. */
  requestedBy?: string;
  /** The ID of the request that sends the claim. */
  requestId?: string;
}

/** Returns the caller of a request. A request without a valid one is refused: only a faulty part could send it. */
export function requireCaller(request: {
  caller?: Pick<CallerMessage, "accountId" | "environment"> | undefined;
}): Caller {
  const { accountId, environment } = request.caller ?? {};
  if (!accountId || (environment !== "sandbox" && environment !== "live")) {
    throw fail("internal_error", "The request names no caller.");
  }
  return { accountId, environment };
}

/** Returns the claim of a write. A write without one is refused. */
export function requireClaim(request: { claim?: ClaimMessage | undefined }): Claim {
  const { idempotencyKey, token, fingerprint, requestedBy = "", requestId = "" } = request.claim ?? {};
  if (!idempotencyKey || !token || fingerprint?.length !== 32) {
    throw fail("internal_error", "The write carries no claim.");
  }
  return { idempotencyKey, token, fingerprint, requestedBy, requestId };
}

/** The author of a change, and where it came from. */
export interface Actor {
  /** A member's email, `operator`, or the ID of an API key, which logs show by name. */
  name: string;
  /** A network address, or `command line`. */
  source: string;
}

/** The author of changes that operators make with commands. */
export const OPERATOR: Actor = { name: "operator", source: "command line" };
