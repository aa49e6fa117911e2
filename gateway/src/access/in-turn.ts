import type { HandlerContext } from "@connectrpc/connect";
import { createBulkhead } from "../admission/bulkhead.js";

/** How many of the portal's calls are executed at once, in total and for one account. */
const LIMITS = { total: 16, perAccount: 8 };

/** How long a call without a deadline waits for its turn. */
const MAX_WAIT_MS = 10_000;

/** A call names its account in its caller, or directly. Calls about all accounts have a turn of their own. */
interface Call {
  caller?: { accountId: string } | undefined;
  accountId?: string;
}

/** Creates the queue of the portal's calls, which is fair among accounts. A call that has had no turn when its deadline passes is refused with 503. */
export function createTurns() {
  const turns = createBulkhead(LIMITS);

  /** Wraps the operation of a call, so that it is executed in its turn. */
  return <Request extends object, Response, Context extends Pick<HandlerContext, "timeoutMs" | "signal">>(
    operation: (request: Request, context: Context) => Promise<Response>,
  ) =>
    async (request: Request, context: Context): Promise<Response> => {
      const { caller, accountId }: Call = request;
      const release = await turns.acquire({
        accountId: caller?.accountId ?? accountId ?? "",
        weight: 1,
        deadline: performance.now() + Math.min(context.timeoutMs() ?? MAX_WAIT_MS, MAX_WAIT_MS),
        onDisconnect: (disconnected) => context.signal.addEventListener("abort", disconnected, { once: true }),
      });
      try {
        return await operation(request, context);
      } finally {
        release();
      }
    };
}
