import type { HandlerContext } from "@connectrpc/connect";
import { createBulkhead } from "@shipping/kit/http/bulkhead";
import { Outage } from "@shipping/kit/rpc/outage";
import type { PaceLimits } from "../admission/pace.js";
import { createTokenBucket } from "../admission/token-bucket.js";

/** How many of the portal's calls are executed at once, in total and for one account. */
const LIMITS = { total: 16, perAccount: 8 };

/** How many of the portal's calls begin in a second, and at once after a quiet time. A page makes about three, and each costs CPU that the API needs. */
export const DEFAULT_CALL_PACE: PaceLimits = { perSecond: 50, burst: 50 };

/** How many calls wait at most: each holds its request, which may have 64 KiB. */
const MAX_WAITING = 200;

/** How long a call without a deadline waits for its turn. */
const MAX_WAIT_MS = 10_000;

/** A call names its account in its caller, or directly. Calls about all accounts have a turn of their own. */
interface Call {
  caller?: { accountId: string } | undefined;
  accountId?: string;
}

/**
 * Creates the queue of the portal's calls, which is fair among accounts. A call that has had no turn when its deadline passes is refused with 503, and
 * one that finds too many waiting is refused at once.
 */
export function createTurns({ perSecond, burst }: PaceLimits = DEFAULT_CALL_PACE) {
  const turns = createBulkhead(LIMITS);
  const pace = createTokenBucket((burst * 1_000) / perSecond, () => performance.now());
  let waiting = 0;

  async function acquire({ caller, accountId }: Call, context: Pick<HandlerContext, "timeoutMs" | "signal">) {
    if (waiting >= MAX_WAITING) throw new Outage("gateway_queue");
    const deadline = performance.now() + Math.min(context.timeoutMs() ?? MAX_WAIT_MS, MAX_WAIT_MS);
    waiting++;
    try {
      if (!(await pace.take(1_000 / perSecond))) throw new Outage("gateway_queue");
      return await turns.acquire({
        accountId: caller?.accountId ?? accountId ?? "",
        weight: 1,
        deadline,
        onDisconnect: (disconnected) => context.signal.addEventListener("abort", disconnected, { once: true }),
      });
    } finally {
      waiting--;
    }
  }

  /** Wraps the operation of a call, so that it is executed in its turn. */
  return <Request extends object, Response, Context extends Pick<HandlerContext, "timeoutMs" | "signal">>(
    operation: (request: Request, context: Context) => Promise<Response>,
  ) =>
    async (request: Request, context: Context): Promise<Response> => {
      const release = await acquire(request, context);
      try {
        return await operation(request, context);
      } finally {
        release();
      }
    };
}
