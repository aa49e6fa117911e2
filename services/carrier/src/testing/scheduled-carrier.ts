import type { Schedule } from "@shipping/kit/testing/schedules/explore";
import { type ActiveBooking, CarrierRefusal, CarrierUnavailable, type RemoteCarrier } from "../carriers/carrier.js";
import { scriptedCarrier } from "./scripted-carrier.js";

/** A carrier at the end of a network that loses and delays calls and answers; what it has booked is as in `scriptedCarrier`. */
export function scheduledCarrier(schedule: Schedule, takesKeys: boolean) {
  const network = { isGood: false };
  const { carrier, activeBookings } = scriptedCarrier({ takesKeys, mayExecuteForMs: 10_000 });
  const limits = { signal: new AbortController().signal };
  let calls = 0;

  /** Nothing is carried out later than the carrier says that it may be. */
  async function carryOut<T>(what: string, act: () => Promise<T>): Promise<T> {
    const deadlineMs = schedule.nowMs() + carrier.callMs + carrier.mayExecuteForMs;
    await schedule.step(`${what} arrives`);
    if (schedule.nowMs() > deadlineMs) throw new Error("It was dropped.");
    return act();
  }

  async function call<T>(what: string, act: () => Promise<T>): Promise<T> {
    const fault = network.isGood ? 0 : schedule.choose(12);
    const number = ++calls;
    if (fault === 1) throw new Error("The call was lost.");
    if (fault === 2) throw new CarrierUnavailable("too busy");
    if (fault === 3 && what === "book") throw new CarrierRefusal("no such street");
    const answer = schedule.run("the carrier", `${what} ${number}`, () => carryOut(what, act)) as Promise<T>;
    if (fault === 4) {
      answer.catch(() => {});
      throw new Error("The connection was lost.");
    }
    const result = await answer;
    await schedule.step(`${what} has its answer`);
    if (fault === 5) throw new Error("The answer was lost.");
    return result;
  }

  const scheduled: RemoteCarrier = {
    ...carrier,
    book: (key, wanted) => call("book", () => carrier.book(key, wanted, limits)),
    find: (key) => call<ActiveBooking[]>("find", () => carrier.find(key, limits)),
    cancel: (reference) => call("cancel", () => carrier.cancel(reference, limits)),
  };
  return { network, carrier: scheduled, activeBookings };
}
