import { setTimeout as sleep } from "node:timers/promises";
import { send } from "../../kit/send.js";
import { codeIn, type History, type Operation, outcomeIn } from "../check/operation.js";

/** An API key, and its name in the history. */
export interface NamedKey {
  name: string;
  key: string;
  keyId: string;
}

/** A request, with any of the keys. */
export interface Sending extends Pick<Operation, "account" | "method" | "path" | "body" | "idempotencyKey" | "walk"> {
  keys: readonly NamedKey[];
}

/** A random number from 0 to below 1. */
export type Chance = () => number;

const PATIENCE = 40;
const MAX_PAUSE_MS = 500;

export type Recorder = ReturnType<typeof record>;

/** Sends requests and records the observations. `gateways` are those that a load balancer would choose from; their numbers are those in `all`. */
export function record(all: readonly string[], gateways: readonly string[], chance: Chance) {
  const history: History = { operations: [], arrivals: [], revocations: [], disturbances: [] };

  /** Sends it once, to a random gateway and with a random key. */
  async function once({ keys, ...sending }: Sending): Promise<Operation> {
    const gateway = gateways[Math.floor(chance() * gateways.length)] ?? "";
    const { name, key } = keys[Math.floor(chance() * keys.length)]!;
    const startMs = performance.now();
    const { method, path, body, idempotencyKey } = sending;
    const answer = await send(gateway, { method, path, body, idempotencyKey, key }).catch(() => undefined);
    const operation: Operation = {
      ...sending,
      gateway: all.indexOf(gateway),
      apiKey: name,
      startMs,
      status: answer?.status ?? 0,
      replayed: answer?.replayed ?? false,
      text: answer?.text ?? "",
      endMs: answer ? performance.now() : Number.POSITIVE_INFINITY,
    };
    history.operations.push(operation);
    return operation;
  }

  return {
    history,
    count: () => history.operations.length,
    once,
    /** Sends it until the response is definite, or as often as a patient customer would. */
    async untilDefinite(sending: Sending): Promise<Operation> {
      for (let sent = 1; ; sent++) {
        const operation = await once(sending);
        const isDefinite = outcomeIn(operation) !== "unknown" && codeIn(operation) !== "idempotency_in_progress";
        if ((isDefinite && operation.status !== 429) || sent === PATIENCE) return operation;
        await sleep(chance() * Math.min(MAX_PAUSE_MS, 20 * 2 ** sent));
      }
    },
  };
}

/** A random generator with a seed (mulberry32). */
export function chanceFrom(seed: number): Chance {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
