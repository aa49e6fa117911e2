import { createInFlight } from "@shipping/kit/process/in-flight";

/** A delivery with a claimed attempt: counted, leased to this process, and not yet made. */
export interface ClaimedDelivery {
  accountId: string;
  subscriptionId: string;
  eventId: string;
  claimId: string;
  /** The number of the attempt, 1 to 8. */
  attempt: number;
  /** True if the last attempts of its subscription failed. */
  unhealthy: boolean;
  url: string;
  sealedSecret: Uint8Array;
  body: Uint8Array;
  /** The trace context of the event; empty if it is not traced. */
  traceparent: string;
}

/** The number of attempts that may be claimed now, and how many of them for unhealthy subscriptions. */
export interface Capacity {
  free: number;
  unhealthy: number;
}

/** The attempts under way in this process. An attempt is claimed only if a slot is free. */
export type Attempts = ReturnType<typeof createAttempts>;

// The other 70 % are kept for healthy subscriptions.
const UNHEALTHY_SHARE = 0.3;

/**
 * Creates the slots. `run` makes an attempt, and gets the time at which its claim began; `onFree` is called when a slot comes free after
 * one was missing.
 */
export function createAttempts(options: {
  max: number;
  run(claimed: ClaimedDelivery, claimedAt: number): Promise<void>;
  onFree(): void;
}) {
  const maxUnhealthy = Math.max(1, Math.floor(options.max * UNHEALTHY_SHARE));
  const underWay = createInFlight();
  let taken = 0;
  let unhealthy = 0;
  let checkWaiter = () => {};
  let missed = false;
  let stopped = false;

  function start(claimed: ClaimedDelivery, claimedAt: number): void {
    if (claimed.unhealthy) unhealthy += 1;
    underWay.add(options.run(claimed, claimedAt).finally(() => release(claimed)));
  }

  function release({ unhealthy: isUnhealthy }: ClaimedDelivery): void {
    taken -= 1;
    if (isUnhealthy) unhealthy -= 1;
    if (missed && !stopped) options.onFree();
    missed = false;
    checkWaiter();
  }

  /** Keeps up to `wanted` slots free while the statement runs, starts the attempts that it claimed, and returns how many. */
  async function claim(wanted: number, statement: (capacity: Capacity) => Promise<ClaimedDelivery[]>): Promise<number> {
    const free = stopped ? 0 : Math.min(wanted, options.max - taken);
    const claimedAt = performance.now();
    taken += free;
    let claimed: ClaimedDelivery[] = [];
    try {
      claimed = await statement({ free, unhealthy: Math.min(free, maxUnhealthy - unhealthy) });
    } finally {
      taken -= free - claimed.length;
    }
    for (const one of claimed) start(one, claimedAt);
    if (taken >= options.max || unhealthy >= maxUnhealthy) missed = true;
    return claimed.length;
  }

  /** Resolves when that many slots are free (half of all suffice), or after `limitMs`. One caller at a time. */
  function waitForSlots(wanted: number, limitMs: number): Promise<void> {
    const enough = Math.min(wanted, Math.ceil(options.max / 2));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      checkWaiter = () => {
        if (options.max - taken < enough && !stopped) return;
        clearTimeout(timer);
        resolve();
        checkWaiter = () => {};
      };
      checkWaiter();
    });
  }

  /** Closes all slots, so that no further attempt is claimed. */
  function claimNoMore(): void {
    stopped = true;
    checkWaiter();
  }

  /** Claims no more and waits for the attempts under way. `cut` ends those that take longer than `limitMs`. */
  async function stop(limitMs: number, cut: () => void): Promise<void> {
    claimNoMore();
    const limit = setTimeout(cut, limitMs);
    await underWay.idle();
    clearTimeout(limit);
  }

  return { claim, waitForSlots, claimNoMore, stop };
}
