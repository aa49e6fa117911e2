import type { Faults } from "@shipping/kit/service/faults";
import type { RemoteCarrier } from "./carrier.js";

/** A carrier with the points `before-call <method>` and `after-call <method>` around every call. */
export function faultyCarrier(carrier: RemoteCarrier, faults: Faults | undefined): RemoteCarrier {
  if (!faults) return carrier;
  async function around<T>(method: string, call: () => Promise<T>): Promise<T> {
    faults?.at(`before-call ${method}`);
    const answer = await call();
    faults?.at(`after-call ${method}`);
    return answer;
  }
  return {
    ...carrier,
    book: (...call) => around("book", () => carrier.book(...call)),
    find: (...call) => around("find", () => carrier.find(...call)),
    cancel: (...call) => around("cancel", () => carrier.cancel(...call)),
  };
}
