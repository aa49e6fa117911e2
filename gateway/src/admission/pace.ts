import type { ServerResponse } from "node:http";
import type { Metrics } from "@shipping/kit/process/metrics";

/** How many answers an address gets that no API key was admitted for: pages and refusals. */
export interface PaceLimits {
  /** Per second, sustained. */
  perSecond: number;
  /** At once, after a pause. */
  burst: number;
}

/** A page with its assets needs five, and a person in a hurry opens two a second. */
export const DEFAULT_PACE: PaceLimits = { perSecond: 50, burst: 25 };

/** No request waits longer, however many came before. */
const MAX_WAIT_MS = 10_000;

/** Keeps anonymous requests from overwhelming the process by their number: they are delayed, not refused. */
export interface Pace {
  /** Resolves when it is time for the next answer to this address, which is `response`; with the milliseconds for which it was held. */
  turn(address: string, response: ServerResponse): Promise<number>;
  /** Whether a response waits: such connections are closed first. */
  holds(response: ServerResponse): boolean;
  waiting(): number;
  /** How many addresses are tracked. */
  tracked(): number;
}

/** Addresses that need not be tracked any more are forgotten after so many turns. */
const TURNS_BETWEEN_SWEEPS = 1_000;

/** The generic cell rate algorithm (as ATM has it), one number for each address: when all that it was granted will have been paid for. */
export function createPace({ perSecond, burst }: PaceLimits, now = () => performance.now()): Pace {
  const costMs = 1_000 / perSecond;
  const paidAt = new Map<string, number>();
  let turns = 0;
  const held = new Set<ServerResponse>();

  function sweep(nowMs: number): void {
    for (const [address, at] of paidAt) if (at <= nowMs) paidAt.delete(address);
  }

  function waitMsOf(address: string): number {
    const nowMs = now();
    if (++turns % TURNS_BETWEEN_SWEEPS === 0) sweep(nowMs);
    const mostMs = nowMs + MAX_WAIT_MS + burst * costMs;
    const at = Math.min(mostMs, Math.max(nowMs, paidAt.get(address) ?? 0) + costMs);
    paidAt.set(address, at);
    return at - burst * costMs - nowMs;
  }

  return {
    async turn(address, response) {
      const waitMs = waitMsOf(networkOf(address));
      if (waitMs <= 0) return 0;
      held.add(response);
      const heldAt = now();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      held.delete(response);
      return now() - heldAt;
    },
    holds: (response) => held.has(response),
    waiting: () => held.size,
    tracked: () => paidAt.size,
  };
}

/** A client with one IPv6 address has the 2^64 of its network. */
function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const before = head.split(":");
  const after = tail === undefined ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill("0"), ...after].slice(0, 4).join(":");
}

/** Measures the pace of this process. */
export function measurePace(metrics: Metrics, pace: Pace): void {
  const help = {
    gateway_requests_paced: "Pages and refusals held back because their address sends too many requests.",
    gateway_addresses_tracked: "Addresses recently answered without a valid API key.",
  };
  metrics.gauges(help, () => ({ gateway_requests_paced: pace.waiting(), gateway_addresses_tracked: pace.tracked() }));
}
