import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";
import { limitedNetworks } from "./network.js";

/** The rate of responses to requests without a valid API key, per client: an IPv4 address or a /64 of IPv6. A /48 gets twice as much. */
export interface PaceLimits {
  /** Per second, sustained. */
  perSecond: number;
  /** At once, after a quiet time. */
  burst: number;
}

/** A page with its assets needs five, and a person opens two pages a second at most. */
export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

/** The part of the time of one CPU that the pages of a client may take, and that all pages may take. The rest is for API keys. */
const CPU_OF_CLIENT = 0.1;
const CPU_OF_ALL = 0.4;
/**
 * What the process does for a page before and after it, and while it waits, cannot be told apart from other work: it receives the request, sends
 * statements and reads their rows, writes a log line. With a small page, it is one and a half times of what is measured, and it does not grow with
 * the page.
 */
const UNMEASURED = { times: 1.5, maxMs: 4 };
/** What a page is expected to take among all, until it is known. */
const EXPECTED_CPU_MS = 1;
const ALL_AT_ONCE_MS = 125;

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

/** Measures the CPU time of a page, and charges its address for it. */
export interface Meter {
  /** Measures nothing until the promise settles: the page waits for its client, the database or another part, and the CPU time is that of others. */
  wait<Result>(promise: Promise<Result>): Promise<Result>;
  /** Ends the measurement: the answer is written. */
  end(): void;
}

/** Limits the requests without a valid API key, by number and by what they cost, by delaying them. */
export type Pace = ReturnType<typeof createPace>;

const REQUESTS_BETWEEN_SWEEPS = 1_000;

export function createPace({ perSecond, burst }: PaceLimits, now = () => performance.now()) {
  const intervalMs = 1_000 / perSecond;
  const networks = new Map<string, Queue>();
  const all: Queue = { nextAt: 0, chargedMs: 0 };
  let requests = 0;
  const delayed = new Set<ServerResponse>();

  /** The queues in which an address waits, one after the other, each with how many clients' pace it has. */
  function queuesFor(address: string): { queue: Queue; clients: number }[] {
    if (++requests % REQUESTS_BETWEEN_SWEEPS === 0)
      for (const [inactive, { nextAt }] of networks) if (nextAt <= now()) networks.delete(inactive);
    return limitedNetworks(address, 1).map(({ network, most }) => {
      const queue = networks.get(network) ?? { nextAt: 0, chargedMs: 0 };
      networks.set(network, queue);
      return { queue, clients: most };
    });
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

  async function delay(address: string, response: ServerResponse): Promise<Turn> {
    let waitedMs = 0;
    for (const { queue, clients } of queuesFor(address)) {
      const turn = await wait(queue, intervalMs / clients, burst * intervalMs, response);
      waitedMs += turn.waitedMs;
      if (!turn.isDue) return { waitedMs, isDue: false };
    }
    return { waitedMs, isDue: true };
  }

  /** Begins to measure a page that was admitted. It is charged whenever it waits, and at its end, less what was paid on admission. */
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
      charge(all, cost.all - charged.all);
      for (const { queue, clients } of queuesFor(address)) charge(queue, (cost.own - charged.own) / clients);
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
    delay,
    /** Resolves when a page may be made for this address. */
    async admit(address: string, response: ServerResponse): Promise<Turn> {
      const own = await delay(address, response);
      if (!own.isDue) return own;
      const { waitedMs, isDue } = await wait(all, EXPECTED_CPU_MS / CPU_OF_ALL, ALL_AT_ONCE_MS, response);
      return { waitedMs: own.waitedMs + waitedMs, isDue };
    },
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
