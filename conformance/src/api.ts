import { randomUUID } from "node:crypto";
import { type Exchange, exchange, type Sending } from "./exchange.js";
import { Unsafe } from "./judge.js";
import { type Clock, type Pace, paceOf } from "./pace.js";

/** The API as the holder of one key calls it. */
export interface Api {
  readonly pace: Pace;
  get(path: string): Promise<Exchange>;
  /** A body that is a string goes out as it is. Without an idempotency key the request gets one of its own. */
  post(path: string, body: unknown, idempotencyKey?: string): Promise<Exchange>;
  delete(path: string, idempotencyKey?: string): Promise<Exchange>;
  /** Sends nothing but what stands here, and the key. */
  send(sending: Sending): Promise<Exchange>;
  /** The same without waiting for its turn or trying again: for the limit itself. */
  sendAtOnce(sending: Sending): Promise<Exchange>;
}

export interface ApiOptions {
  baseUrl: string;
  key?: string | undefined;
  requestsPerWindow: number;
  clock: Clock;
  /** Once it is aborted, nothing more is sent. */
  stop: AbortSignal;
  /** Hears of every exchange. */
  onExchange(exchange: Exchange): void;
}

const TRIES = 3;
const MAX_WAIT_S = 61;

/** Calls the API below a base URL, with a key or without one, at the pace of that key. */
export function apiOf({ baseUrl, key, requestsPerWindow, clock, stop, onExchange }: ApiOptions): Api {
  const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const pace = paceOf(requestsPerWindow, clock);

  async function once({ headers, ...sending }: Sending): Promise<Exchange> {
    stop.throwIfAborted();
    const answer = await exchange(baseUrl, { ...sending, headers: { ...authorization, ...headers } });
    // What is kept and reported of a request does without the key.
    const kept: Exchange = { ...answer, headers: headers ?? {} };
    onExchange(kept);
    refuseRealLabels(kept);
    return kept;
  }

  async function send(sending: Sending): Promise<Exchange> {
    for (let tries = 1; ; tries++) {
      await pace.turn();
      const answer = await once(sending);
      if (tries === TRIES || !isPassing(answer)) return answer;
      await clock.wait(waitBefore(answer) * 1_000);
    }
  }

  return {
    pace,
    send,
    sendAtOnce(sending) {
      pace.count();
      return once(sending);
    },
    get: (path) => send({ method: "GET", path }),
    delete: (path, idempotencyKey = randomUUID()) =>
      send({ method: "DELETE", path, headers: { "Idempotency-Key": idempotencyKey } }),
    post(path, body, idempotencyKey = randomUUID()) {
      const headers = { "Idempotency-Key": idempotencyKey, "Content-Type": "application/json" };
      return send({ method: "POST", path, headers, body: typeof body === "string" ? body : JSON.stringify(body) });
    },
  };
}

// Someone else uses the key too, or the API is unavailable for a moment: neither says anything about what is asked.
const isPassing = ({ status, json }: Exchange) =>
  status === 429 || (status === 503 && json?.error?.code !== "carrier_not_configured");

function waitBefore({ answered }: Exchange): number {
  const seconds = Number(answered.get("retry-after") ?? 2);
  return seconds >= 0 ? Math.min(seconds, MAX_WAIT_S) : 2;
}

// A key that begins like a sandbox key is no proof: the labels themselves have to say that they cost nothing.
function refuseRealLabels({ method, path, json }: Exchange): void {
  for (const one of [json?.data].flat()) {
    if (one?.object !== "label") continue;
    if (one.test === true && one.charge?.amount === 0) continue;
    throw new Unsafe(
      `${method} ${path} answered a label with test ${JSON.stringify(one.test)} and charge ${JSON.stringify(one.charge)}`,
    );
  }
}
