import type { ClusterUnderTest } from "../../platform/cluster.js";
import { type Acknowledged, type Customer, mixedLoad } from "../chaos/mixed-load.js";
import { send } from "../kit/send.js";
import { recordAttempts } from "./attempts.js";

/** The answers to reads of acknowledged orders. */
interface Reads {
  right: number;
  /** `503` with `Retry-After`. */
  unavailable: number;
  /** Other failures, as sentences; the first ten. */
  wrong: string[];
}

/** A load that runs beside a fault until it is stopped. */
export type Load = Awaited<ReturnType<typeof startLoad>>;
/** The acknowledged writes of a load, and the results of its reads. */
export type LoadReport = Awaited<ReturnType<Load["stop"]>>;

const ACCOUNTS = 2;
const READ_PAUSE_MS = 20;

/** Writes with `clients` chains at a time on accounts of its own or those of `customers`, and reads orders that were acknowledged before. */
export async function startLoad(
  cluster: ClusterUnderTest,
  { clients, mayBeGone, ...given }: { clients: number; customers?: readonly Customer[]; mayBeGone?: boolean },
) {
  const customers =
    given.customers ?? (await Promise.all(Array.from({ length: ACCOUNTS }, () => cluster.newCustomer())));
  const stopping = new AbortController();
  const attempts = recordAttempts();
  const orders: Acknowledged[] = [];
  let count = 0;
  const writing = mixedLoad({
    gateways: cluster.gateways,
    customers,
    operations: Number.POSITIVE_INFINITY,
    clients,
    mayBeGone,
    stopping: stopping.signal,
    attempted: attempts.add,
    acknowledged(write) {
      count++;
      if (write.write.path === "/orders") orders.push(write);
    },
  });
  // Awaited by `stop`; until then a rejection has no handler.
  writing.catch(() => {});
  const reading = readOrders(cluster.gateways, orders, stopping.signal);
  return {
    attempts,
    /** The number of acknowledged writes so far. */
    acknowledged: () => count,
    /** Ends its chains and resolves with everything that was acknowledged. */
    async stop() {
      stopping.abort();
      const [{ acknowledged }, reads] = await Promise.all([writing, reading]);
      return { accountIds: customers.map(({ accountId }: Customer) => accountId), acknowledged, reads };
    },
  };
}

/** A read of an order returns the bytes of its creation, or fails. */
async function readOrders(
  gateways: readonly string[],
  orders: readonly Acknowledged[],
  stopping: AbortSignal,
): Promise<Reads> {
  const reads: Reads = { right: 0, unavailable: 0, wrong: [] };
  for (let turn = 0; !stopping.aborted; turn++) {
    const order = orders[Math.floor(Math.random() * orders.length)];
    if (order) await readOne(gateways[turn % gateways.length] ?? "", order, reads);
    await new Promise((resolve) => setTimeout(resolve, READ_PAUSE_MS));
  }
  return reads;
}

async function readOne(gateway: string, { id, text, write }: Acknowledged, reads: Reads): Promise<void> {
  const told = (sentence: string) => void (reads.wrong.length < 10 && reads.wrong.push(sentence));
  try {
    const read = await send(gateway, { method: "GET", path: `/orders/${id}`, key: write.key });
    if (read.status === 503 && read.retryAfter) reads.unavailable++;
    else if (read.status === 200 && read.text === text) reads.right++;
    else told(`${id}: ${read.status} ${read.text.slice(0, 200)}`);
  } catch (error) {
    told(`${id}: ${error}`);
  }
}
