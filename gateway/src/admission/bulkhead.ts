import type { Metrics } from "@shipping/kit/process/metrics";
import { Outage } from "../service-clients/outage.js";

/** The most work that one account and all accounts together may have in progress in a gateway: as lists, one and sixteen. */
export const DEFAULT_LIMITS: BulkheadLimits = { inAll: 128, ofAccount: 8 };

/** The rest after a heavy request, as a multiple of its duration: its account gets half of the process. */
const RESTS = 1;
/** No rest is needed if no other account has begun anything for this long. */
const NEIGHBOUR_MS = 250;

/** What an account is told that is at its own limit. */
const OVER = "This account has too many requests in progress. Retry in a few seconds.";

/** How much may be under way at once, in units of what a plain read weighs. */
export interface BulkheadLimits {
  /** In this process. */
  inAll: number;
  /** Of one account. */
  ofAccount: number;
}

/** A request that wants to begin. */
export interface Entering {
  accountId: string;
  weight: number;
  /** Beside others it is followed by a rest of at least so long; 0 unless given. */
  restMs?: number;
  /** By when it is to be answered, in milliseconds by `performance.now()`. */
  deadline: number;
  /** Calls back if the client goes away before the request has begun. Asked only of those who wait. */
  onGone(gone: () => void): void;
}

/** Ends a turn; to be called exactly once. */
export type EndTurn = () => void;

/** Keeps an account that sends many requests at once from using up what the others need. */
export interface Bulkhead {
  /**
   * Resolves when the request may begin; rejects with 503 when its deadline is over first, or its client gone. The cause is `account_queue`
   * if its account was at its own limit, `gateway_queue` if the process was at its.
   */
  enter(request: Entering): Promise<EndTurn>;
  /** Weights under way, requests that wait, and accounts that they are of. */
  load(): BulkheadLoad;
}

interface BulkheadLoad {
  underWay: number;
  waiting: number;
  waitingAccounts: number;
  /** Requests that were refused since the start, because their deadline was over before their turn. */
  refused: number;
}

interface Waiter {
  weight: number;
  begin(): void;
}

interface Account {
  underWay: number;
  /** In the order in which they came. */
  waiters: Set<Waiter>;
}

/**
 * Requests begin at once while the process and their account have capacity. Otherwise they wait in their account's own
 * queue, and accounts take turns: one with a thousand waiting does not go before one with a single request. Beside others, a turn
 * that was heavy ends with a rest: work that blocks the event loop must not follow itself without a pause.
 */
export function createBulkhead(limits: BulkheadLimits, rests = RESTS): Bulkhead {
  const accounts = new Map<string, Account>();
  /** Accounts whose first waiting request needs only capacity in the process. An account that has begun one goes to the end. */
  const turns = new Set<Account>();
  let underWay = 0;
  let refused = 0;
  // The account that began last, and the last one that was not it.
  let latest = { id: "", at: Number.NEGATIVE_INFINITY };
  let before = latest;

  const weightOf = ({ weight }: Pick<Entering, "weight">) => Math.min(weight, limits.ofAccount, limits.inAll);
  const hasRoom = (account: Account, weight: number) => account.underWay + weight <= limits.ofAccount;

  function accountOf(id: string): Account {
    let account = accounts.get(id);
    if (!account) {
      account = { underWay: 0, waiters: new Set() };
      accounts.set(id, account);
    }
    return account;
  }

  function begin({ accountId: id, restMs: leastMs = 0 }: Entering, account: Account, weight: number): EndTurn {
    const begunAt = performance.now();
    account.underWay += weight;
    underWay += weight;
    if (latest.id !== id) before = latest;
    latest = { id, at: begunAt };

    function end(): void {
      account.underWay -= weight;
      underWay -= weight;
      settle(id, account);
      beginNext();
    }

    return () => {
      const now = performance.now();
      const other = latest.id === id ? before : latest;
      const restMs = weight > 1 && now - other.at < NEIGHBOUR_MS ? Math.max(leastMs, rests * (now - begunAt)) : 0;
      if (restMs < 1) end();
      else setTimeout(end, restMs);
    };
  }

  /** Queues an account for its turn if it may have one, and forgets an account without requests. */
  function settle(id: string, account: Account): void {
    const [first] = account.waiters;
    if (first && hasRoom(account, first.weight)) turns.add(account);
    else turns.delete(account);
    if (!first && account.underWay === 0) accounts.delete(id);
  }

  function beginNext(): void {
    for (const account of turns) {
      const [first] = account.waiters;
      // The requests behind it wait, too: otherwise a heavy one would never find capacity among light ones.
      if (!first || underWay + first.weight > limits.inAll) return;
      turns.delete(account);
      first.begin();
    }
  }

  function wait(request: Entering, account: Account, weight: number): Promise<EndTurn> {
    const { accountId: id, deadline, onGone } = request;
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        weight,
        begin() {
          clearTimeout(late);
          account.waiters.delete(waiter);
          const end = begin(request, account, weight);
          settle(id, account);
          // In a later turn of the event loop, after others have run: one account's requests must not run back to back.
          setImmediate(resolve, end);
        },
      };
      const giveUp = () => {
        clearTimeout(late);
        const [first] = account.waiters;
        const isOver = first !== undefined && !hasRoom(account, first.weight);
        if (!account.waiters.delete(waiter)) return;
        settle(id, account);
        beginNext();
        reject(isOver ? new Outage("account_queue", { message: OVER }) : new Outage("gateway_queue"));
      };
      const late = setTimeout(() => {
        refused++;
        giveUp();
      }, deadline - performance.now());
      onGone(giveUp);
      account.waiters.add(waiter);
      settle(id, account);
    });
  }

  return {
    async enter(request) {
      const account = accountOf(request.accountId);
      const weight = weightOf(request);
      const isFree = account.waiters.size === 0 && turns.size === 0;
      if (isFree && hasRoom(account, weight) && underWay + weight <= limits.inAll) {
        return begin(request, account, weight);
      }
      return wait(request, account, weight);
    },
    load() {
      const waitingAccounts = [...accounts.values()].filter(({ waiters }) => waiters.size > 0);
      const waiting = waitingAccounts.reduce((sum, { waiters }) => sum + waiters.size, 0);
      return { underWay, waiting, waitingAccounts: waitingAccounts.length, refused };
    },
  };
}

/** Measures the bulkhead of this process. */
export function measureBulkhead(metrics: Metrics, bulkhead: Bulkhead, limits: BulkheadLimits): void {
  const help = {
    gateway_work_under_way: "Work in progress, where 1 is one plain read.",
    gateway_work_under_way_max: "The most work that may be in progress at once. Further requests wait.",
    gateway_requests_waiting: "Requests waiting for their account's turn.",
    gateway_accounts_waiting:
      "Accounts with waiting requests. One means that this account is at its limit, many mean that the process is.",
    gateway_requests_given_up: "Requests refused with 503 since the start because they waited too long for their turn.",
  };
  metrics.gauges(help, () => {
    const { underWay, waiting, waitingAccounts, refused } = bulkhead.load();
    return {
      gateway_work_under_way: underWay,
      gateway_work_under_way_max: limits.inAll,
      gateway_requests_waiting: waiting,
      gateway_accounts_waiting: waitingAccounts,
      gateway_requests_given_up: refused,
    };
  });
}
