import type { ServerResponse } from "node:http";
import { fail } from "@shipping/kit/errors";
import { createBulkhead } from "@shipping/kit/http/bulkhead";
import { limitedNetworks } from "@shipping/kit/http/network";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** A number of pages in so many seconds, even all at once. */
interface Rate {
  pages: number;
  seconds: number;
}

/** The limits of pages in this process. */
export interface PageLimits {
  /** A client is an IPv4 address or a /64 of IPv6, signed in or not. A /48 may do twice as much. */
  client: Rate;
  member: Rate;
  /** How many heavy pages may be made at once, and how long further ones wait. */
  heavy: { total: number; perAccount: number; waitMs: number };
}

/** A heavy page. It gives up waiting at its deadline, in milliseconds of `performance.now()`, or after `waitMs`; `signal` says that its client has gone. */
interface HeavyPage {
  accountId: string;
  deadline?: number | undefined;
  signal: AbortSignal;
}

const ACCOUNT_FULL = "This account has too many pages in progress. Try again in a few seconds.";

/** A person opens two pages a second at most. A client may be an office. */
export const DEFAULT_PAGE_LIMITS: PageLimits = {
  client: { pages: 40, seconds: 2 },
  member: { pages: 20, seconds: 2 },
  heavy: { total: 6, perAccount: 3, waitMs: 5_000 },
};

export type AreaLimits = ReturnType<typeof createPageLimits>;

export function createPageLimits({ client, member, heavy }: PageLimits) {
  const countClientPage = createCounter(client, "your IP address");
  const countMemberPage = createCounter(member, "your sessions");
  const places = createBulkhead({ ...heavy, cause: "portal_queue", accountFull: ACCOUNT_FULL });
  return {
    /** Makes a heavy page, or a chunk of one, once it has a place. Throws a 503 if its deadline passes or its client goes first. */
    async makeHeavy<Made>({ accountId, deadline, signal }: HeavyPage, make: () => Promise<Made>): Promise<Made> {
      const waited = new AbortController();
      const release = await places
        .acquire({
          accountId,
          weight: 1,
          deadline: deadline ?? performance.now() + heavy.waitMs,
          onDisconnect(gone) {
            signal.addEventListener("abort", gone, { signal: waited.signal });
            if (signal.aborted) gone();
          },
        })
        .finally(() => waited.abort());
      try {
        return await make();
      } finally {
        release();
      }
    },
    /** Counts a page of an IP address, and throws a 429 if there are too many. */
    async countClient(address: string, res: ServerResponse): Promise<void> {
      for (const { network, most } of limitedNetworks(address, 1)) await countClientPage(network, res, most);
    },
    countMember: (memberId: string, res: ServerResponse) => countMemberPage(memberId, res),
  };
}

/** The library counts whole points. With two for each page, a network can have twice as much as a client. */
const POINTS = 2;

function createCounter({ pages, seconds }: Rate, from: string) {
  const limiter = new RateLimiterMemory({ points: pages * POINTS, duration: seconds });
  return async (key: string, res: ServerResponse, most = 1): Promise<void> => {
    try {
      await limiter.consume(key, POINTS / most);
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      res.setHeader("Retry-After", Math.ceil(refused.msBeforeNext / 1_000));
      throw fail("rate_limited", `Too many pages are requested from ${from}. Try again in a few seconds.`);
    }
  };
}
