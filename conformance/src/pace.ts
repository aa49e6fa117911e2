// The limit is 120 in a minute; ten are left to whoever else uses the key, and a second to clocks that differ.
export const REQUESTS_PER_WINDOW = 110;
const WINDOW_MS = 61_000;

/** The times of one key's requests, so that it never comes near its limit. */
export interface Pace {
  /** Resolves when the next request may go out, and counts it. */
  turn(): Promise<void>;
  /** Counts a request that does not wait for its turn. */
  count(): void;
  /** Resolves when none of the key's requests counts any more. */
  rest(): Promise<void>;
}

export interface Clock {
  now(): number;
  wait(ms: number): Promise<void>;
}

/** Paces the requests of one key. */
export function paceOf(requestsPerWindow: number, clock: Clock): Pace {
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
