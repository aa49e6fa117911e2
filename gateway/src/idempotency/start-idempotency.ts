import { startLoop } from "@shipping/kit/process/loop";
import { createDoneMarks, type DoneMarks } from "./mark-done.js";
import type { RegistryDeps } from "./registry.js";
import { sweepClaims } from "./sweep-claims.js";
import { type ClaimWaits, createClaimWaits } from "./wait-for-claim.js";

/** The state that `executeOnce` keeps in its process between requests: `idempotency` in the deps. */
export interface Idempotency {
  marks: DoneMarks;
  waits: ClaimWaits;
  /** Ends the sweeper and writes the done marks that are still queued: the last thing a gateway does. */
  stop(): Promise<void>;
}

const SWEEP_MS = 10_000;

/** Starts the background half of idempotency: done marks, waits and the sweeper. */
export function startIdempotency(deps: RegistryDeps): Idempotency {
  const marks = createDoneMarks(deps);
  const waits = createClaimWaits(deps, marks);
  const sweeping = startLoop({ name: "sweep-claims", everyMs: SWEEP_MS, log: deps.log, once: () => sweepClaims(deps) });
  return {
    marks,
    waits,
    async stop() {
      await sweeping.stop();
      await marks.flush();
    },
  };
}
