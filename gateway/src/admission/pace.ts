import type { ServerResponse } from "node:http";
import { limitedNetworks } from "@shipping/kit/http/network";
import type { Metrics } from "@shipping/kit/process/metrics";
import { createTokenBucket, type TokenBucket } from "./token-bucket.js";

/** The rate of responses to requests without a valid API key, per client: an IPv4 address or a /64 of IPv6. A /48 gets twice as much. */
export interface PaceLimits {
  /** The sustained rate per second. */
  perSecond: number;
  /** The number of requests that are not delayed after a quiet period. */
  burst: number;
}

/** A page with its assets takes five requests, and a person opens two pages a second at most. */
export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

/** The shares of one CPU that the pages of one client and the pages of all clients may take. The rest is for requests with API keys. */
const CPU_OF_CLIENT = 0.1;
const CPU_OF_ALL = 0.4;
/**
 * Estimates the CPU time of a page that cannot be measured because other work runs meanwhile: receiving the request, sending statements and reading
 * their rows, writing the log line. For a small page, it is one and a half times the measured time. It does not grow with the page.
 */
const UNMEASURED = { times: 1.5, maxMs: 4 };
/** Assumed CPU time of a page before it is measured. */
const EXPECTED_CPU_MS = 1;
const ALL_AT_ONCE_MS = 125;

/** How long a request has waited, and whether it may be executed now. */
interface Turn {
  waitedMs: number;
  isDue: boolean;
}

/** Measures the CPU time of a page and charges its client for it. */
export interface Meter {
  /**
   * Pauses the measurement until the promise settles. While the page waits for its client, the database or another part, the CPU time is spent on
   * other requests.
   */
  wait<Result>(promise: Promise<Result>): Promise<Result>;
  /** Ends the measurement, when the response has been written. */
  end(): void;
}

/** Limits requests without a valid API key by delaying them, according to their number and the CPU time that they take. */
export type Pace = ReturnType<typeof createPace>;

const REQUESTS_BETWEEN_SWEEPS = 1_000;

export function createPace({ perSecond, burst }: PaceLimits, now = () => performance.now()) {
  const intervalMs = 1_000 / perSecond;
  const networks = new Map<string, TokenBucket>();
  const all = createTokenBucket(ALL_AT_ONCE_MS, now);
  let requests = 0;
  const delayed = new Set<ServerResponse>();

  /** The buckets of an IP address, and how many clients each is for. */
  function bucketsOf(address: string): { bucket: TokenBucket; clients: number }[] {
    if (++requests % REQUESTS_BETWEEN_SWEEPS === 0)
      for (const [network, bucket] of networks) if (bucket.isFull()) networks.delete(network);
    return limitedNetworks(address, 1).map(({ network, most }) => {
      const bucket = networks.get(network) ?? createTokenBucket(burst * intervalMs, now);
      networks.set(network, bucket);
      return { bucket, clients: most };
    });
  }

  const turnsOf = (address: string) =>
    bucketsOf(address).map(({ bucket, clients }) => ({ bucket, ms: intervalMs / clients }));

  /** Waits for a turn at each of the buckets, one after the other. */
  async function waitFor(response: ServerResponse, turns: ReturnType<typeof turnsOf>): Promise<Turn> {
    const startedAt = now();
    let isDue = true;
    delayed.add(response);
    for (const { bucket, ms } of turns) isDue &&= await bucket.take(ms);
    delayed.delete(response);
    return { waitedMs: now() - startedAt, isDue };
  }

  /** Starts to measure an admitted page. The client is charged before each wait and at the end, less the amount charged on admission. */
  function measure(address: string): Meter {
    let since = process.cpuUsage();
    let measuredMs = 0;
    let waits = 0;
    let isOver = false;
    let charged = { all: 0, own: 0 };

    function chargeMeasured(): void {
      const { user, system } = process.cpuUsage(since);
      measuredMs += (user + system) / 1_000;
      const cpuMs = measuredMs + Math.min(UNMEASURED.times * measuredMs, UNMEASURED.maxMs);
      const cost = {
        all: (cpuMs - EXPECTED_CPU_MS) / CPU_OF_ALL,
        own: Math.max(0, cpuMs / CPU_OF_CLIENT - intervalMs),
      };
      all.charge(cost.all - charged.all);
      for (const { bucket, clients } of bucketsOf(address)) bucket.charge((cost.own - charged.own) / clients);
      charged = cost;
    }

    return {
      async wait(promise) {
        if (++waits === 1 && !isOver) chargeMeasured();
        try {
          return await promise;
        } finally {
          if (--waits === 0) since = process.cpuUsage();
        }
      },
      end() {
        if (!isOver && waits === 0) chargeMeasured();
        isOver = true;
      },
    };
  }

  return {
    /** Resolves when a refusal may be sent to this address. */
    delay: (address: string, response: ServerResponse) => waitFor(response, turnsOf(address)),
    /** Resolves when a page may be made for this address. */
    admit: (address: string, response: ServerResponse) =>
      waitFor(response, [...turnsOf(address), { bucket: all, ms: EXPECTED_CPU_MS / CPU_OF_ALL }]),
    measure,
    /** Connections with delayed responses are closed first. */
    isDelaying: (response: ServerResponse) => delayed.has(response),
    waiting: () => delayed.size,
    tracked: () => networks.size,
  };
}

export function measurePace(metrics: Metrics, pace: Pace): void {
  const help = {
    gateway_requests_paced: "Pages and refusals held back because their address sends too many requests.",
    gateway_addresses_tracked: "Addresses and networks recently answered without a valid API key.",
  };
  metrics.gauges(help, () => ({ gateway_requests_paced: pace.waiting(), gateway_addresses_tracked: pace.tracked() }));
}
