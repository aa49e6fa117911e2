import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";
import { toNetwork } from "./network.js";

/** The rate of responses to requests without a valid API key, per client address. */
export interface PaceLimits {
  /** Per second, sustained. */
  perSecond: number;
  /** At once, after a quiet time. */
  burst: number;
}

/** A page with its assets needs five, and a person opens two pages a second at most. */
export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

/** The part of the time of one CPU that the pages of an address may take, and that all pages may take. The rest is for API keys. */
const CPU_OF_ADDRESS = 0.1;
const CPU_OF_ALL = 0.4;
/** What a page is expected to take among all, until it is known. */
const EXPECTED_CPU_MS = 1;
const ALL_AT_ONCE_MS = 500;

/** A request whose turn comes later than this waits so long, and is then not executed. */
const MAX_WAIT_MS = 10_000;

/** How long a request has waited, and whether it may be executed now. */
interface Turn {
  waitedMs: number;
  isDue: boolean;
}

/** A queue as the generic cell rate algorithm keeps it. */
interface Queue {
  /** The theoretical arrival time of the next request. */
  nextAt: number;
  /** The sum of all changes by `charge`. They move the turns of those that wait, too. */
  chargedMs: number;
}

/** Limits the requests without a valid API key, by number and by what they cost, by delaying them. */
export type Pace = ReturnType<typeof createPace>;

const REQUESTS_BETWEEN_SWEEPS = 1_000;

export function createPace({ perSecond, burst }: PaceLimits, now = () => performance.now()) {
  const intervalMs = 1_000 / perSecond;
  const addresses = new Map<string, Queue>();
  const all: Queue = { nextAt: 0, chargedMs: 0 };
  let requests = 0;
  const delayed = new Set<ServerResponse>();

  function queueFor(address: string): Queue {
    if (++requests % REQUESTS_BETWEEN_SWEEPS === 0)
      for (const [inactive, { nextAt }] of addresses) if (nextAt <= now()) addresses.delete(inactive);
    const network = toNetwork(address);
    const queue = addresses.get(network) ?? { nextAt: 0, chargedMs: 0 };
    addresses.set(network, queue);
    return queue;
  }

  function charge(queue: Queue, ms: number): void {
    queue.nextAt = Math.max(now(), queue.nextAt) + ms;
    queue.chargedMs += ms;
  }

  /** Takes the next turn of a queue, and waits for it. */
  async function wait(queue: Queue, costMs: number, atOnceMs: number, response: ServerResponse): Promise<Turn> {
    const startedAt = now();
    const nextAt = Math.max(startedAt, queue.nextAt) + costMs;
    let waitMs = nextAt - atOnceMs - startedAt;
    // A request that would wait longer than that gets no turn, so those after it do not wait for it.
    if (waitMs <= MAX_WAIT_MS) queue.nextAt = nextAt;
    delayed.add(response);
    let leftMs = MAX_WAIT_MS;
    let { chargedMs } = queue;
    while (waitMs > 0 && leftMs > 0) {
      const stepMs = Math.min(waitMs, leftMs);
      await new Promise((resolve) => setTimeout(resolve, stepMs));
      leftMs -= stepMs;
      waitMs += queue.chargedMs - chargedMs - stepMs;
      chargedMs = queue.chargedMs;
    }
    delayed.delete(response);
    return { waitedMs: now() - startedAt, isDue: waitMs <= 0 };
  }

  const delay = (address: string, response: ServerResponse): Promise<Turn> =>
    wait(queueFor(address), intervalMs, burst * intervalMs, response);

  return {
    /** Resolves when a refusal may be sent to this address. */
    delay,
    /** Resolves when a page may be made for this address. */
    async admit(address: string, response: ServerResponse): Promise<Turn> {
      const own = await delay(address, response);
      if (!own.isDue) return own;
      const { waitedMs, isDue } = await wait(all, EXPECTED_CPU_MS / CPU_OF_ALL, ALL_AT_ONCE_MS, response);
      return { waitedMs: own.waitedMs + waitedMs, isDue };
    },
    /** Does work for a page and charges its CPU time, less what was paid on admission, if this is the first work for the page. */
    charge<Result>(address: string, work: () => Result, paid: 0 | 1 = 1): Result {
      const before = process.cpuUsage();
      const result = work();
      const { user, system } = process.cpuUsage(before);
      const cpuMs = (user + system) / 1_000;
      charge(all, (cpuMs - paid * EXPECTED_CPU_MS) / CPU_OF_ALL);
      charge(queueFor(address), Math.max(0, cpuMs / CPU_OF_ADDRESS - paid * intervalMs));
      return result;
    },
    /** Connections with delayed responses are closed first. */
    isDelaying: (response: ServerResponse) => delayed.has(response),
    waiting: () => delayed.size,
    tracked: () => addresses.size,
  };
}

export function measurePace(metrics: Metrics, pace: Pace): void {
  const help = {
    gateway_requests_paced: "Pages and refusals held back because their address sends too many requests.",
    gateway_addresses_tracked: "Addresses recently answered without a valid API key.",
  };
  metrics.gauges(help, () => ({ gateway_requests_paced: pace.waiting(), gateway_addresses_tracked: pace.tracked() }));
}
