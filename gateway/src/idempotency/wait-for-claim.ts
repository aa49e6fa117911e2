import { setTimeout as sleep } from "node:timers/promises";
import { fail } from "@shipping/kit/errors";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import type { DoneMarks } from "./mark-done.js";
import { peekKey, type RegistryDeps, type RegistryRequest, type RegistryRow } from "./registry.js";
import { readReplay, toReplay } from "./resolve-claim.js";

/** The request in progress. The waiting one may be equal to it or different. */
export interface AwaitedRequest extends RegistryRequest {
  requestId: string;
  waitUntil: number;
}

interface Waiter {
  resolve(replay: Snapshot | undefined): void;
  reject(error: unknown): void;
}

const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 200;
const READ_MS = 2_000;

/**
 * The requests of this process that are waiting for another request with their key, in this gateway or another one. Polls the registry once
 * per key and process, however many requests are waiting. No connection is in use during a pause.
 */
export function createClaimWaits(deps: RegistryDeps, marks: DoneMarks) {
  // The waiters of a key, in order of arrival. Each set exists, and its poller runs, while it has waiters.
  const waiting = new Map<string, Set<Waiter>>();

  async function poll(id: string, waiters: Set<Waiter>, request: AwaitedRequest, row: RegistryRow): Promise<void> {
    try {
      const committed = await readUnmarked(request, row);
      if (committed) return wakeAll(waiters, committed);
      for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        const jitter = 0.5 + (deps.random(1)[0] ?? 0) / 512;
        await sleep(pauseMs * jitter);
        if (waiting.get(id) !== waiters) return;
        await checkAgain(waiters, request);
      }
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
    }
  }

  // A gateway may have died between the answer and the done mark. If the owner cannot answer, the registry is polled.
  async function readUnmarked(request: AwaitedRequest, { token }: RegistryRow): Promise<Snapshot | undefined> {
    const replay = await readReplay(deps, request, readOptions(request)).catch(() => undefined);
    const { caller, idempotencyKey, fingerprint } = request;
    if (replay) marks.mark({ caller, idempotencyKey, fingerprint, token });
    return replay;
  }

  async function checkAgain(waiters: Set<Waiter>, request: AwaitedRequest): Promise<void> {
    const row = await peekKey(deps, request);
    const equal = row?.fingerprint.equals(request.fingerprint);
    if (equal && row?.leaseLive) return;
    if (equal && row?.state === "done") return wakeAll(waiters, await readReplay(deps, request, readOptions(request)));
    if (row?.state === "done" || row?.leaseLive) return wakeAll(waiters, undefined);
    wakeFirst(waiters);
  }

  function join(id: string, waiters: Set<Waiter>, waitUntil: number): Promise<Snapshot | undefined> {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => waiter.reject(fail("idempotency_in_progress")), waitUntil - performance.now());
      const leave = () => {
        clearTimeout(late);
        waiters.delete(waiter);
        if (waiters.size === 0 && waiting.get(id) === waiters) waiting.delete(id);
      };
      const waiter: Waiter = {
        resolve: (replay) => {
          leave();
          resolve(replay);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      waiters.add(waiter);
    });
  }

  return {
    /** Resolves with its replay, or with undefined if the registry must be read again. Throws 409 at `waitUntil`. */
    wait(request: AwaitedRequest, row: RegistryRow): Promise<Snapshot | undefined> {
      const id = toId(request);
      const waiters = waiting.get(id) ?? new Set();
      const joined = join(id, waiters, request.waitUntil);
      if (!waiting.has(id)) {
        waiting.set(id, waiters);
        void poll(id, waiters, request, row);
      }
      return joined;
    },
    /** Answers all requests that are waiting for this one. */
    settle(request: RegistryRequest, snapshot: Snapshot): void {
      wakeAll(waiting.get(toId(request)), toReplay(snapshot));
    },
    /** Records that this request has failed, so that the one that has waited longest tries next. */
    wakeNext(request: RegistryRequest): void {
      wakeFirst(waiting.get(toId(request)));
    },
  };
}

function wakeAll(waiters: Set<Waiter> | undefined, replay: Snapshot | undefined): void {
  for (const waiter of waiters ?? []) waiter.resolve(replay);
}

function wakeFirst(waiters: Set<Waiter> | undefined): void {
  const [first] = waiters ?? [];
  first?.resolve(undefined);
}

function readOptions({ requestId }: AwaitedRequest) {
  return { timeoutMs: READ_MS, headers: { "x-request-id": requestId } };
}

function toId({ caller, idempotencyKey, fingerprint }: RegistryRequest): string {
  return [caller.accountId, caller.environment, fingerprint.toString("hex"), idempotencyKey].join(" ");
}
