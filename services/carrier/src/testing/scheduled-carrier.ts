import { setTimeout as sleep } from "node:timers/promises";
import type { Schedule } from "@shipping/kit/testing/schedules/explore";
import { currentActor } from "@shipping/kit/testing/schedules/virtual-time";
import {
  type ActiveBooking,
  type CallLimits,
  CarrierRefusal,
  CarrierUnavailable,
  type RemoteCarrier,
  type Wanted,
} from "../carriers/carrier.js";
import { scriptedCarrier } from "./scripted-carrier.js";

// Most calls arrive before their callers stop waiting, some long after that.
const DELAYS_MS = [1, 50, 50, 300, 300, 3_000, 9_000];
const PAUSES_MS = [3_000, 9_000];

/** A carrier at the end of a network that loses and delays calls and answers; its bookings are those of `scriptedCarrier`. */
export function scheduledCarrier(schedule: Schedule, takesKeys: boolean) {
  const network = { isGood: false };
  const { carrier, activeBookings } = scriptedCarrier({ takesKeys, mayExecuteForMs: 10_000 });
  // The time until which only one caller may ask the carrier to book under a key, on the clock of the schedule.
  const reservedMs = new Map<string, number>();
  const doubleCalls: string[] = [];
  const limits = { signal: new AbortController().signal };
  let calls = 0;

  /** A call is never carried out later than the carrier declares. */
  async function carryOut<T>(what: string, act: () => Promise<T>): Promise<T> {
    const deadlineMs = schedule.nowMs() + carrier.callMs + carrier.mayExecuteForMs;
    if (!network.isGood) await sleep(DELAYS_MS[schedule.choose(DELAYS_MS.length)]);
    await schedule.step(`${what} arrives`);
    if (schedule.nowMs() > deadlineMs) throw new Error("It was dropped.");
    return act();
  }

  async function call<T>(what: string, act: () => Promise<T>): Promise<T> {
    const fault = network.isGood ? 0 : schedule.choose(12);
    const number = ++calls;
    // The carrier's answer may be processed long after a lease has ended.
    const pause = () => {
      const { process } = currentActor()!;
      if (!network.isGood && schedule.choose(4) === 0) schedule.freeze(process, PAUSES_MS[schedule.choose(2)]!);
    };
    if (fault === 2 || fault === 3) pause();
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
    pause();
    if (fault === 5) throw new Error("The answer was lost.");
    return result;
  }

  /** A carrier that takes no keys must not be asked again while it may still carry out a call, any other not while a call lasts. */
  async function book(key: string, wanted: Wanted, { signal }: CallLimits): Promise<ActiveBooking> {
    if (schedule.nowMs() < (reservedMs.get(key) ?? 0)) doubleCalls.push(key);
    const untilMs = schedule.nowMs() + carrier.callMs + (takesKeys ? 0 : carrier.mayExecuteForMs);
    reservedMs.set(key, untilMs);
    const over = () => takesKeys && reservedMs.get(key) === untilMs && reservedMs.delete(key);
    signal.addEventListener("abort", over);
    return call("book", () => carrier.book(key, wanted, limits)).finally(over);
  }

  const scheduled: RemoteCarrier = {
    ...carrier,
    book,
    find: (key) => call<ActiveBooking[]>("find", () => carrier.find(key, limits)),
    cancel: (reference) => call("cancel", () => carrier.cancel(reference, limits)),
  };
  return { network, carrier: scheduled, activeBookings, doubleCalls };
}
