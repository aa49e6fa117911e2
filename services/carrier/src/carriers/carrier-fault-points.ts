import type { FaultPoints } from "@shipping/kit/service/fault-points";
import type { RemoteCarrier } from "./carrier.js";

/** Adds the fault points `before-call <method>` and `after-call <method>` around each call. */
export function carrierWithFaultPoints(carrier: RemoteCarrier, faultPoints: FaultPoints | undefined): RemoteCarrier {
  if (!faultPoints) return carrier;
  async function around<T>(method: string, call: () => Promise<T>): Promise<T> {
    faultPoints?.at(`before-call ${method}`);
    const answer = await call();
    faultPoints?.at(`after-call ${method}`);
    return answer;
  }
  return {
    ...carrier,
    book: (...call) => around("book", () => carrier.book(...call)),
    find: (...call) => around("find", () => carrier.find(...call)),
    cancel: (...call) => around("cancel", () => carrier.cancel(...call)),
  };
}
