import type { CallOptions } from "@connectrpc/connect";
import type { Claim } from "@shipping/kit/caller";
import { fail, failureIn } from "@shipping/kit/errors";
import { startLoop } from "@shipping/kit/process/loop";
import { type CallContext, callOptions, inTime } from "@shipping/kit/rpc/call-owner";
import { Outage } from "@shipping/kit/rpc/outage";
import type { Snapshot, WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
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
export interface OnceRequest extends Omit<RegistryRequest, "fingerprint">, CallContext {
  /** The row that `admit` read before the body arrived. */
  peeked: RegistryRow | undefined;
  /** Throws a 422. It is reported only after replay and conflict are ruled out. May be called several times. */
  validate(): void;
  /** Computes the fingerprint. It is expensive for a large body, so an invalid request that is new does not need it. */
  toFingerprint(): Buffer;
  /** Validates the write and sends it to its owner, once. */
  send(claim: Claim, options: CallOptions): Promise<WriteOutcome>;
}

/** A request during its execution. */
interface Run extends RegistryRequest, CallContext, Pick<OnceRequest, "validate" | "send"> {
  waitUntil: number;
}

/**
 * Executes a write under its idempotency key, or replays the stored answer. Every other outcome throws a Failure. The deadline covers all
 * statements together, because each can take seconds if the registry hangs.
 */
export function executeOnce(deps: OnceDeps, request: OnceRequest): Promise<Snapshot> {
  return inTime(execute(deps, request), request);
}

async function execute(deps: OnceDeps, request: OnceRequest): Promise<Snapshot> {
  const waitUntil = performance.now() + WAIT_MS;
  let row = await firstRow(deps, request);
  if (!row) request.validate();
  const run: Run = { ...request, fingerprint: request.toFingerprint(), waitUntil };
  for (;;) {
    const snapshot = row ? await act(deps, run, row) : await claim(deps, run);
    if (snapshot) return snapshot;
    row = await peekKey(deps, run);
  }
}

/** Only the state `done` is final, so a row that `admit` read as done is still valid. The INSERT of the claim decides whether a key is still free. */
async function firstRow(deps: OnceDeps, request: OnceRequest): Promise<RegistryRow | undefined> {
  const { peeked } = request;
  if (peeked?.state === "done" || (!peeked && isValid(request))) return peeked;
  return peekKey(deps, request);
}

function isValid(request: OnceRequest): boolean {
  try {
    request.validate();
    return true;
  } catch {
    return false;
  }
}

/** A step with a key that has a row. It returns the answer, or undefined if the registry must be read again. */
type Action = (deps: OnceDeps, run: Run, row: RegistryRow) => Promise<Snapshot | undefined>;

/** The step by the state of the row, and by whether the request equals the one that the row is of. */
const ACTIONS: Record<"inProgress" | "abandoned" | "done", { equal: Action; other: Action }> = {
  inProgress: { equal: waitForAnswer, other: waitForFailure },
  abandoned: { equal: rejoin, other: settleAndTakeOver },
  done: { equal: replay, other: refuse },
};

function act(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const claimed = row.leaseLive ? "inProgress" : "abandoned";
  const { equal, other } = ACTIONS[row.state === "done" ? "done" : claimed];
  return (row.fingerprint.equals(run.fingerprint) ? equal : other)(deps, run, row);
}

async function claim(deps: OnceDeps, run: Run): Promise<Snapshot | undefined> {
  run.validate();
  return sendUnder(deps, run, await claimKey(deps, run));
}

async function waitForAnswer(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const { owner, fingerprint } = row;
  return deps.idempotency.waits.wait({ ...run, owner, fingerprint }, row);
}

async function waitForFailure(deps: OnceDeps, run: Run, row: RegistryRow): Promise<undefined> {
  if (await waitForAnswer(deps, run, row)) throw fail("idempotency_conflict");
}

async function rejoin(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  return sendUnder(deps, run, await rejoinClaim(deps, run, row.token));
}

async function settleAndTakeOver(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  const other = { ...run, owner: row.owner, token: row.token };
  if ((await resolveClaim(deps, other, callOptions(run))) === "committed") return undefined;
  return takeOver(deps, run, row);
}

async function replay(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  // Without a snapshot, the owner was restored from a backup that is older than this result, so the request is new to it.
  return (await readReplay(deps, run, callOptions(run))) ?? takeOver(deps, run, row);
}

async function refuse(): Promise<never> {
  throw fail("idempotency_conflict");
}

/** Replaces a row whose request can no longer be executed. */
async function takeOver(deps: OnceDeps, run: Run, row: RegistryRow): Promise<Snapshot | undefined> {
  run.validate();
  return sendUnder(deps, run, await takeOverKey(deps, run, row));
}

/** Sends the write under the claim with this token; without one, another request was faster. */
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
