import { Outage, type OutageCause } from "../rpc/outage.js";

/** How much work may be in progress at once, where an ordinary read or write is 1. */
export interface BulkheadLimits {
  /** The limit of this process. */
  total: number;
  perAccount: number;
  /** The cause of a 503 if the process was at its limit; `gateway_queue` unless given. */
  cause?: OutageCause;
  /** The message of a 503 if the account was at its limit. */
  accountFull?: string;
}

/** A request gives up waiting for its turn when only this much time is left: with less, `callOptions` would send no call. */
export const RESERVE_MS = 1_000;

const ACCOUNT_FULL = "This account has too many requests in progress. Retry in a few seconds.";

/** A request that wants to start. */
export interface WorkRequest {
  accountId: string;
  weight: number;
  /** When the request gives up waiting, in milliseconds of `performance.now()`. */
  deadline: number;
  /** Registers a callback for the client's disconnect. Called only if the request has to wait. */
  onDisconnect(disconnected: () => void): void;
}

/** Returns the capacity of a request that has ended. Must be called exactly once. */
export type Release = () => void;

export type Bulkhead = ReturnType<typeof createBulkhead>;

interface Waiter {
  weight: number;
  start(): void;
}

interface Account {
  id: string;
  inProgress: number;
  /** Waiters, first in, first out. */
  queue: Set<Waiter>;
}

/**
 * Limits concurrent work, so that an account with many requests cannot use up the capacity that the others need. It is a fair queue: a request starts
 * at once if the process and its account have capacity. Otherwise it waits in its account's queue, and the queues are served round-robin, so that an
 * account with a thousand waiting requests does not delay an account with one.
 */
export function createBulkhead(limits: BulkheadLimits) {
  const { cause = "gateway_queue", accountFull: message = ACCOUNT_FULL } = limits;
  const accounts = new Map<string, Account>();
  /** The accounts that could start their first waiting request if the process had capacity, in round-robin order. */
  const ready = new Set<Account>();
  let inProgress = 0;
  let refused = 0;

  const accountHasRoom = (account: Account, weight: number) => account.inProgress + weight <= limits.perAccount;
  const processHasRoom = (weight: number) => inProgress + weight <= limits.total;

  function start(account: Account, weight: number): Release {
    account.inProgress += weight;
    inProgress += weight;
    return () => {
      account.inProgress -= weight;
      inProgress -= weight;
      updateReady(account);
      startNext();
    };
  }

  /** Adds an account to `ready` or removes it, and forgets an account without requests. */
  function updateReady(account: Account): void {
    const [first] = account.queue;
    if (first && accountHasRoom(account, first.weight)) ready.add(account);
    else ready.delete(account);
    if (!first && account.inProgress === 0) accounts.delete(account.id);
  }

  function startNext(): void {
    for (const account of ready) {
      const [first] = account.queue;
      // Light requests wait behind a heavy one, too: otherwise they could use up the capacity indefinitely.
      if (!first || !processHasRoom(first.weight)) return;
      ready.delete(account);
      account.queue.delete(first);
      first.start();
      updateReady(account);
    }
  }

  function wait({ deadline, onDisconnect }: WorkRequest, account: Account, weight: number): Promise<Release> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        weight,
        start() {
          clearTimeout(timer);
          // The request starts in a later turn of the event loop, so that other work runs between two requests of one account.
          setImmediate(resolve, start(account, weight));
        },
      };
      const giveUp = () => {
        clearTimeout(timer);
        const [first] = account.queue;
        const isAccountFull = first !== undefined && !accountHasRoom(account, first.weight);
        if (!account.queue.delete(waiter)) return;
        updateReady(account);
        startNext();
        reject(isAccountFull ? new Outage("account_queue", { message }) : new Outage(cause));
      };
      const timer = setTimeout(() => {
        refused++;
        giveUp();
      }, deadline - performance.now());
      account.queue.add(waiter);
      updateReady(account);
      // The last step, because the client may have disconnected already.
      onDisconnect(giveUp);
    });
  }

  return {
    /**
     * Resolves when the request may start. Rejects with a 503 if its deadline passes or its client disconnects first; the cause is
     * `account_queue` if its account was at its limit.
     */
    async acquire(request: WorkRequest): Promise<Release> {
      const { accountId: id } = request;
      const account: Account = accounts.get(id) ?? { id, inProgress: 0, queue: new Set() };
      accounts.set(id, account);
      const weight = Math.min(request.weight, limits.perAccount, limits.total);
      const isFirst = account.queue.size === 0 && ready.size === 0;
      return isFirst && accountHasRoom(account, weight) && processHasRoom(weight)
        ? start(account, weight)
        : wait(request, account, weight);
    },
    /** `refused`: requests since the start whose deadline passed while they were waiting. */
    load() {
      const waitingAccounts = [...accounts.values()].filter(({ queue }) => queue.size > 0);
      const waiting = waitingAccounts.reduce((sum, { queue }) => sum + queue.size, 0);
      return { inProgress, waiting, waitingAccounts: waitingAccounts.length, refused };
    },
  };
}
