import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { AUDITED_TYPES } from "../../chaos/audit.js";
import { type EventReceiver, openEventReceiver } from "../../kit/event-receiver.js";
import type { Arrival } from "../check/operation.js";
import type { Shared } from "./contend.js";
import type { NamedKey, Recorder } from "./recorder.js";

/** A customer of one round, whose receiver gets every event. */
export interface Customer extends Shared {
  /** Keys that are revoked during the round. */
  doomed: readonly NamedKey[];
  arrivals(): Arrival[];
  close(): Promise<void>;
}

const KEYS = 40;
const DOOMED = 3;

/** Makes a customer with many API keys: idempotency keys belong to the account, and each API key has a limit. */
export async function newCustomer(
  cluster: ClusterUnderTest,
  recorder: Recorder,
  sink: EventReceiver,
): Promise<Customer> {
  const { accountId: account } = await patiently(() => cluster.newCustomer("History"));
  const made = await newKeys(cluster, account, KEYS + DOOMED);
  const [doomed, keys] = [made.slice(0, DOOMED), made.slice(DOOMED)];
  const receiver = await openEventReceiver();
  const body = { url: receiver.url, events: AUDITED_TYPES };
  const subscription = { account, keys, method: "POST", path: "/webhooks", idempotencyKey: "all", body } as const;
  const { status, text } = await recorder.untilDefinite(subscription);
  if (status !== 201) throw new Error(`The subscription was answered ${status}: ${text}`);
  return {
    account,
    keys,
    doomed,
    sinkUrl: sink.url,
    arrivals: () =>
      receiver.arrivals.map(({ eventId, atMs, body }) => ({ account, eventId, atMs, text: body.toString() })),
    close: receiver.close,
  };
}

/** A database that is slow at first is asked again. */
const patiently = <T>(work: () => Promise<T>) => eventually(work);

/** Makes API keys of an account, with names for the history. */
export async function newKeys(cluster: ClusterUnderTest, account: string, count: number): Promise<NamedKey[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { key, keyId } = await patiently(() => cluster.newKey(account));
      return { key, keyId, name: keyId };
    }),
  );
}

/** Uses a key on all gateways until it is stopped, as fast as `pauseMs` lets it. */
export async function useKey(
  recorder: Recorder,
  { account, key, pauseMs }: { account: string; key: NamedKey; pauseMs: number },
  stopping: AbortSignal,
): Promise<void> {
  while (!stopping.aborted) {
    await recorder.once({ account, keys: [key], method: "GET", path: "/account" });
    await sleep(pauseMs);
  }
}

/** Revokes keys one after the other while they are in use. A revocation that fails has no known outcome, so that key may work or not. */
export async function revokeInUse(
  recorder: Recorder,
  cluster: ClusterUnderTest,
  { account, doomed, everyMs }: { account: string; doomed: readonly NamedKey[]; everyMs: number },
  stopping: AbortSignal,
): Promise<void> {
  const using = doomed.map((key) => useKey(recorder, { account, key, pauseMs: 250 }, stopping));
  for (const { keyId, name } of doomed) {
    await sleep(everyMs);
    if (stopping.aborted) break;
    const startMs = performance.now();
    const isAnswered = await cluster.revokeKey(keyId).then(
      () => true,
      () => false,
    );
    const endMs = isAnswered ? performance.now() : Number.POSITIVE_INFINITY;
    recorder.history.revocations.push({ apiKey: name, startMs, endMs });
  }
  await Promise.all(using);
}
