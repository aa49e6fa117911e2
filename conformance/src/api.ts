import { randomUUID } from "node:crypto";
import { type Exchange, exchange, type Sending } from "./exchange.js";
import { Unsafe } from "./judge.js";

/** Calls the API with one key. */
export interface Api {
  readonly pace: Pace;
  get(path: string): Promise<Exchange>;
  /** Sends a string as it is, anything else as JSON. The default idempotency key is new. */
  post(path: string, body: unknown, idempotencyKey?: string): Promise<Exchange>;
  delete(path: string, idempotencyKey?: string): Promise<Exchange>;
  /** Adds only the API key. */
  send(sending: Sending): Promise<Exchange>;
  /** The same without pacing or retries, to test the rate limit. */
  sendAtOnce(sending: Sending): Promise<Exchange>;
}

export interface ApiOptions {
  baseUrl: string;
  key?: string | undefined;
  requestsPerWindow: number;
  clock: Clock;
  /** No request is sent after it is aborted. */
  stop: AbortSignal;
  onExchange(exchange: Exchange): void;
}

const TRIES = 3;
const MAX_WAIT_S = 61;

/** Calls the API at a base URL, with or without a key. Paces the requests of each key. */
export function createApi({ baseUrl, key, requestsPerWindow, clock, stop, onExchange }: ApiOptions): Api {
  const authorization: Record<string, string> = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const pace = createPace(requestsPerWindow, clock);

  async function once({ headers, ...sending }: Sending): Promise<Exchange> {
    stop.throwIfAborted();
    const answer = await exchange(baseUrl, { ...sending, headers: { ...authorization, ...headers } });
    // Reports must not contain the key.
    const kept: Exchange = { ...answer, headers: headers ?? {} };
    onExchange(kept);
    refuseRealLabels(kept);
    return kept;
  }

  async function send(sending: Sending): Promise<Exchange> {
    for (let tries = 1; ; tries++) {
      await pace.turn();
      const answer = await once(sending);
      if (tries === TRIES || !isTemporary(answer)) return answer;
      await clock.wait(secondsToWait(answer) * 1_000);
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

// Another user of the key has used up its limit, or the API is briefly unavailable. Neither breaks the promise.
const isTemporary = ({ status, json }: Exchange) =>
  status === 429 || (status === 503 && json?.error?.code !== "carrier_not_configured");

function secondsToWait({ responseHeaders }: Exchange): number {
  const seconds = Number(responseHeaders.get("retry-after") ?? 2);
  return seconds >= 0 ? Math.min(seconds, MAX_WAIT_S) : 2;
}

// The prefix of a key does not prove that labels are free, so each label itself has to say so.
function refuseRealLabels({ method, path, json }: Exchange): void {
  for (const one of [json?.data].flat()) {
    if (one?.object !== "label") continue;
    if (one.test === true && one.charge?.amount === 0) continue;
    throw new Unsafe(
      `${method} ${path} answered a label with test ${JSON.stringify(one.test)} and charge ${JSON.stringify(one.charge)}`,
    );
  }
}

// The limit is 120 per minute. Ten are left for other users of the key, and one second for differences between clocks.
export const REQUESTS_PER_WINDOW = 110;
const WINDOW_MS = 61_000;

/** Paces the requests of one key, so that it stays below its limit. */
export interface Pace {
  /** Resolves when the next request may be sent, and counts it. */
  turn(): Promise<void>;
  /** Counts a request that did not wait for `turn`. */
  count(): void;
  /** Resolves when the window contains no request of the key. */
  rest(): Promise<void>;
}

export interface Clock {
  now(): number;
  wait(ms: number): Promise<void>;
}

export function createPace(requestsPerWindow: number, clock: Clock): Pace {
  const times: number[] = [];
  const pauseUntil = async (time: number | undefined) => {
    const ms = time === undefined ? 0 : time + WINDOW_MS - clock.now();
    if (ms > 0) await clock.wait(ms);
  };
  const count = () => void times.push(clock.now());
  return {
    async turn() {
      await pauseUntil(times.at(-requestsPerWindow));
      count();
    },
    count,
    rest: () => pauseUntil(times.at(-1)),
  };
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL leads to this machine. A local platform may run with settings that production refuses. */
export function isOnThisMachine(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname);
}
