import type { ServerResponse } from "node:http";
import { fail } from "@shipping/kit/errors";
import { limitedNetworks } from "@shipping/kit/http/network";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { createHeavyPlaces, type HeavyLimits } from "./heavy-places.js";

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
  heavy: HeavyLimits;
}

/** A person opens two pages a second at most. A client may be an office. */
export const DEFAULT_PAGE_LIMITS: PageLimits = {
  client: { pages: 40, seconds: 2 },
  member: { pages: 20, seconds: 2 },
  heavy: { total: 6, perAccount: 3, waitMs: 5_000 },
};

export type AreaLimits = ReturnType<typeof createPageLimits>;

export function createPageLimits({ client, member, heavy }: PageLimits) {
  const countClientPage = createCounter(client, "your address");
  const countMemberPage = createCounter(member, "your sessions");
  return {
    heavy: createHeavyPlaces(heavy),
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
