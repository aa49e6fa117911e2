import type { CallOptions } from "@connectrpc/connect";
import type { Claim } from "@shipping/kit/caller";
import { fail, failureIn } from "@shipping/kit/errors";
import { startLoop } from "@shipping/kit/process/loop";
import type { Snapshot, WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { type CallContext, callOptions, inTime } from "../service-clients/call-owner.js";
import { Outage } from "../service-clients/outage.js";
import { createDoneMarks } from "./mark-done.js";
import {
  claimKey,
  endLease,
  peekKey,
  type RegistryDeps,
  type RegistryRequest,
  type RegistryRow,
  rejoinClaim,
  takeOverKey,
} from "./registry.js";
import { readReplay, releaseClaim, resolveClaim } from "./resolve-claim.js";
import { sweepClaims } from "./sweep-claims.js";
import { createClaimWaits } from "./wait-for-claim.js";

export interface OnceDeps extends RegistryDeps {
  idempotency: Idempotency;
}

/** A write that is executed at most once, however often it is repeated. */
export interface OnceRequest<T> extends RegistryRequest, CallContext {
  /** The row that `admit` read before the body arrived. */
  peeked: RegistryRow | undefined;
  /** Throws a 422. Called only after replay and conflict are ruled out. */
  validate(): T;
  /** Sends the write to its owner, exactly once. */
  send(input: T, claim: Claim, options: CallOptions): Promise<WriteOutcome>;
}

/** A request during its execution. It is validated at most once. */
interface Run extends RegistryRequest, CallContext {
  waitUntil: number;
  validate(): unknown;
  send(claim: Claim, options: CallOptions): Promise<WriteOutcome>;
}

/**
 * Executes a write under its idempotency key, or replays the stored answer. Every other outcome throws a Failure. The deadline covers all
 * statements together, because each can take seconds if the registry hangs.
 */
export function executeOnce<T>(deps: OnceDeps, request: OnceRequest<T>): Promise<Snapshot> {
  return inTime(execute(deps, request), request);
}

async function execute<T>(deps: OnceDeps, request: OnceRequest<T>): Promise<Snapshot> {
  const waitUntil = performance.now() + WAIT_MS;
  let input: { value: T } | undefined;
  const validate = () => {
    input ??= { value: request.validate() };
    return input.value;
  };
  const send: Run["send"] = (claim, options) => request.send(validate(), claim, options);

  let row = await peekAgain(deps, request, validate);
  if (!row) validate();
  // The spread computes the fingerprint, which is expensive for a large body. An invalid one never gets here.
  const run: Run = { ...request, validate, send, waitUntil };
  for (;;) {
    const snapshot = await proceed(deps, run, row);
    if (snapshot) return snapshot;
    row = await peekKey(deps, run);
  }
}

/** Only the state `done` is final, so a row that `admit` read as done is still valid. The INSERT of the claim decides whether a key is still free. */
async function peekAgain<T>(deps: OnceDeps, request: OnceRequest<T>, validate: () => T) {
  const { peeked } = request;
  if (peeked?.state === "done" || (!peeked && passes(validate))) return peeked;
  return peekKey(deps, request);
}

/** Acts on a row of the registry. Returns undefined if the row must be read again. */
async function proceed(deps: OnceDeps, run: Run, row: RegistryRow | undefined): Promise<Snapshot | undefined> {
  if (!row) return claimAndSend(deps, run);
  const equal = row.fingerprint.equals(run.fingerprint);
  if (row.leaseLive) return waitFor(deps, run, row);
  if (row.state === "done" && !equal) throw fail("idempotency_conflict");
  if (row.state === "done") return replay(deps, run, row);
  if (equal) return sendUnder(deps, run, await rejoinClaim(deps, run, row.token));
  return takeOver(deps, run, row);
}

/** Waits for the request in progress. If it succeeds, its answer is replayed to an equal request, and is a conflict for any other. */
async function waitFor(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const { owner, fingerprint } = row;
  const snapshot = await deps.idempotency.waits.wait({ ...run, owner, fingerprint }, row);
  if (snapshot && !fingerprint.equals(run.fingerprint)) throw fail("idempotency_conflict");
  return snapshot;
}

async function claimAndSend(deps: OnceDeps, run: Run): Promise<Snapshot | undefined> {
  run.validate();
  return sendUnder(deps, run, await claimKey(deps, run));
}

async function replay(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const snapshot = await readReplay(deps, run, callOptions(run));
  if (snapshot) return snapshot;
  // The owner was restored from a backup that is older than this result, so the request is new to it.
  run.validate();
  return sendUnder(deps, run, await takeOverKey(deps, run, row));
}

async function takeOver(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const other = { ...run, owner: row.owner, token: row.token };
  if ((await resolveClaim(deps, other, callOptions(run))) === "committed") return undefined;
  run.validate();
  return sendUnder(deps, run, await takeOverKey(deps, run, row));
}

async function sendUnder(deps: OnceDeps, run: Run, token: bigint | undefined): Promise<Snapshot | undefined> {
  if (token === undefined) return undefined;
  const { waits, marks } = deps.idempotency;
  const { caller, idempotencyKey, fingerprint } = run;
  let outcome: WriteOutcome["outcome"];
  try {
    ({ outcome } = await run.send({ idempotencyKey, token, fingerprint }, callOptions(run)));
  } catch (error) {
    return await handleError(deps, run, token, error).finally(() => waits.wakeNext(run));
  }
  switch (outcome.case) {
    case "snapshot":
      marks.mark({ caller, idempotencyKey, token, fingerprint });
      waits.settle(run, outcome.value);
      return outcome.value;
    case "conflict":
      marks.mark({ caller, idempotencyKey, token, fingerprint: outcome.value.fingerprint });
      throw fail("idempotency_conflict");
    case "stale":
      // The token was fenced off, so the write was not executed. Take the claim over unless the request that fenced it off already has.
      return sendUnder(deps, run, await takeOverKey(deps, run, { token, state: "claimed" }));
    case undefined:
      throw new Error("The owner of the write gave no outcome.");
  }
}

async function handleError(deps: OnceDeps, run: Run, token: bigint, error: unknown): Promise<undefined> {
  const failure = failureIn(error);
  if (!failure) {
    deps.log.warn({ err: error, request_id: run.requestId, owner: run.owner }, "the outcome of a write is unknown");
    await endLease(deps, run, token);
    throw new Outage("outcome_unknown");
  }
  if (await releaseClaim(deps, { ...run, token }, () => callOptions(run))) throw failure;
}

function passes(validate: () => unknown): boolean {
  try {
    validate();
    return true;
  } catch {
    return false;
  }
}

/** The state of this process that `executeOnce` needs, and the background work. */
export type Idempotency = ReturnType<typeof startIdempotency>;

const WAIT_MS = 5_000;
const SWEEP_MS = 10_000;

export function startIdempotency(deps: RegistryDeps) {
  const marks = createDoneMarks(deps);
  const waits = createClaimWaits(deps, marks);
  const sweeping = startLoop({ name: "sweep-claims", everyMs: SWEEP_MS, log: deps.log, once: () => sweepClaims(deps) });
  return {
    marks,
    waits,
    /** Stops the sweeper and writes the queued done marks. A gateway does this last. */
    async stop() {
      await sweeping.stop();
      await marks.flush();
    },
  };
}
