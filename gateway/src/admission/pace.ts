import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";

/** The rate of responses to requests without a valid API key, per client address. */
export interface PaceLimits {
  /** Per second, sustained. */
  perSecond: number;
  /** At once, after a quiet time. */
  burst: number;
}

/** A page with its assets needs five, and a person opens two pages a second at most. */
export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

const MAX_WAIT_MS = 10_000;

/** Limits the rate of requests without a valid API key by delaying them. None is refused. */
export type Pace = ReturnType<typeof createPace>;

const REQUESTS_BETWEEN_SWEEPS = 1_000;

/** The generic cell rate algorithm. Its state is one number per address: the theoretical arrival time of the next request. */
export function createPace({ perSecond, burst }: PaceLimits, now = () => performance.now()) {
  const costMs = 1_000 / perSecond;
  const arrivals = new Map<string, number>();
  let requests = 0;
  const delayed = new Set<ServerResponse>();

  function takeWaitMs(address: string): number {
    const nowMs = now();
    if (++requests % REQUESTS_BETWEEN_SWEEPS === 0)
      for (const [inactive, at] of arrivals) if (at <= nowMs) arrivals.delete(inactive);
    const latestMs = nowMs + MAX_WAIT_MS + burst * costMs;
    const at = Math.min(latestMs, Math.max(nowMs, arrivals.get(address) ?? 0) + costMs);
    arrivals.set(address, at);
    return at - burst * costMs - nowMs;
  }

  return {
    /** Resolves when `response` may be sent to this address, with the milliseconds of delay. */
    async delay(address: string, response: ServerResponse): Promise<number> {
      const waitMs = takeWaitMs(toNetwork(address));
      if (waitMs <= 0) return 0;
      delayed.add(response);
      const startedAt = now();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      delayed.delete(response);
      return now() - startedAt;
    },
    /** Connections with delayed responses are closed first. */
    isDelaying: (response: ServerResponse) => delayed.has(response),
    waiting: () => delayed.size,
    tracked: () => arrivals.size,
  };
}

/** The /64 network of an IPv6 address, because each client has a whole network of them. An IPv4 address stays as it is. */
function toNetwork(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const before = head.split(":");
  const after = tail === undefined ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}

export function measurePace(metrics: Metrics, pace: Pace): void {
  const help = {
    gateway_requests_paced: "Pages and refusals held back because their address sends too many requests.",
    gateway_addresses_tracked: "Addresses recently answered without a valid API key.",
  };
  metrics.gauges(help, () => ({ gateway_requests_paced: pace.waiting(), gateway_addresses_tracked: pace.tracked() }));
}
