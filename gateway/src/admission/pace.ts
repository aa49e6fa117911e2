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

export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

/** The same for the documents of all clients together. */
const DOCUMENTS: PaceLimits = { perSecond: 400, burst: 50 };

const REQUESTS_BETWEEN_SWEEPS = 1_000;

/** How long a request has waited, and whether it may be executed now. */
interface Turn {
  waitedMs: number;
  isDue: boolean;
}

/** The tokens that a request takes from a bucket. */
interface Share {
  bucket: TokenBucket;
  ms: number;
}

export type Pace = ReturnType<typeof createPace>;

/** Limits requests without a valid API key by delaying them: each client has a token bucket, and there is one for the documents of all. */
export function createPace(limits: PaceLimits, now = () => performance.now()) {
  const networks = new Map<string, TokenBucket>();
  const all = newBucket(DOCUMENTS);
  const delayed = new Set<ServerResponse>();
  let requests = 0;

  function newBucket({ perSecond, burst }: PaceLimits): TokenBucket {
    return createTokenBucket((burst * 1_000) / perSecond, now);
  }

  /** The networks of an address: a network that stands for two clients may send twice as much. */
  function sharesOf(address: string): Share[] {
    if (++requests % REQUESTS_BETWEEN_SWEEPS === 0)
      for (const [network, bucket] of networks) if (bucket.isFull()) networks.delete(network);
    return limitedNetworks(address, limits.perSecond).map(({ network, most: perSecond }) => {
      const bucket = networks.get(network) ?? newBucket(limits);
      networks.set(network, bucket);
      return { bucket, ms: 1_000 / perSecond };
    });
  }

  /** Waits for a turn at each of the buckets, one after the other. */
  async function take(response: ServerResponse, shares: readonly Share[]): Promise<Turn> {
    const startedAt = now();
    let isDue = true;
    delayed.add(response);
    for (const { bucket, ms } of shares) isDue &&= await bucket.take(ms);
    delayed.delete(response);
    return { waitedMs: now() - startedAt, isDue };
  }

  return {
    /** Resolves when a refusal may be sent to this address. */
    delay: (address: string, response: ServerResponse) => take(response, sharesOf(address)),
    /** Resolves when a document may be sent to this address. */
    admit: (address: string, response: ServerResponse) =>
      take(response, [...sharesOf(address), { bucket: all, ms: 1_000 / DOCUMENTS.perSecond }]),
    /** Whether a response is being delayed. When connections must be closed, those with delayed responses are among the first. */
    isDelaying: (response: ServerResponse) => delayed.has(response),
    waiting: () => delayed.size,
    tracked: () => networks.size,
  };
}

export function measurePace(metrics: Metrics, pace: Pace): void {
  const help = {
    gateway_requests_paced: "Documents and refusals held back because their address sends too many requests.",
    gateway_addresses_tracked: "Addresses and networks recently answered without a valid API key.",
  };
  metrics.gauges(help, () => ({ gateway_requests_paced: pace.waiting(), gateway_addresses_tracked: pace.tracked() }));
}
