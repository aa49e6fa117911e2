import { Outage } from "@shipping/kit/rpc/outage";

/** How many heavy pages may be made at once, and how long further ones wait. */
export interface HeavyLimits {
  total: number;
  perAccount: number;
  waitMs: number;
}

/** A heavy page that wants to be made. */
export interface Wanted {
  accountId: string;
  /** When it gives up waiting, in milliseconds of `performance.now()`; after `waitMs` if undefined. */
  deadline?: number | undefined;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
}

/** Must be called exactly once, when the page has been made. */
export type Release = () => void;

/**
 * Places for heavy pages. Pages wait in the order of their arrival, but an account with all its places taken lets the pages of others pass.
 */
export function createHeavyPlaces({ total, perAccount, waitMs }: HeavyLimits) {
  const taken = new Map<string, number>();
  const waiting = new Set<{ accountId: string; start(): void }>();
  let inUse = 0;

  const takenBy = (accountId: string) => taken.get(accountId) ?? 0;
  const isFree = (accountId: string) => inUse < total && takenBy(accountId) < perAccount;

  function take(accountId: string): Release {
    inUse++;
    taken.set(accountId, takenBy(accountId) + 1);
    return () => {
      inUse--;
      const left = takenBy(accountId) - 1;
      if (left > 0) taken.set(accountId, left);
      else taken.delete(accountId);
      for (const waiter of waiting) if (isFree(waiter.accountId)) waiter.start();
    };
  }

  function wait(accountId: string, deadline: number, signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
        waiting.delete(waiter);
      };
      const waiter = {
        accountId,
        start() {
          leave();
          resolve(take(accountId));
        },
      };
      const giveUp = () => {
        leave();
        const isAccountFull = takenBy(accountId) >= perAccount;
        reject(isAccountFull ? new Outage("account_queue", { message: ACCOUNT_FULL }) : new Outage("portal_queue"));
      };
      const timer = setTimeout(giveUp, deadline - performance.now());
      waiting.add(waiter);
      if (signal.aborted) giveUp();
      else signal.addEventListener("abort", giveUp);
    });
  }

  return {
    /** Resolves when the page may be made. Rejects with a 503 if its deadline passes or its client goes first. */
    async acquire({ accountId, deadline = performance.now() + waitMs, signal }: Wanted): Promise<Release> {
      return isFree(accountId) ? take(accountId) : wait(accountId, deadline, signal);
    },
    waiting: () => waiting.size,
  };
}

const ACCOUNT_FULL = "This account has too many pages in progress. Try again in a few seconds.";
