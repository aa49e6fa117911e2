import { setTimeout as sleep } from "node:timers/promises";
import { verifySignature } from "@shipping/webhooks/dispatch/signature";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Arrival } from "../../kit/event-receiver.js";
import { type Report, reportOf } from "../../kit/report.js";
import { seconds } from "../../kit/statistics.js";
import { arrivalsByEvent } from "./arrivals.js";
import { ordersAtOnce } from "./order-load.js";
import { newSubscriber } from "./subscriber.js";

const WAIT_MINUTES = [1, 2, 4, 8, 16, 32, 60];
const MAX_JITTER = 0.1;
/** Tolerance for the attempt itself, a poll and a busy machine. */
const GRACE_MS = 1_000;

/** Plays a receiver that always fails, on a cluster whose waits are `speedup` times shorter (`CLOCK_SPEEDUP`). */
export async function alwaysFailing(
  cluster: ClusterUnderTest,
  options: { events: number; speedup: number },
): Promise<Report> {
  const subscriber = await newSubscriber(cluster, { manner: "refuses" });
  const target = { gateways: cluster.gateways, keys: [subscriber.key], count: options.events, concurrency: 4 };
  const { acknowledged } = await ordersAtOnce(target);
  const waitsMs = WAIT_MINUTES.map((minutes) => (minutes * 60_000) / options.speedup);
  const allMs = waitsMs.reduce((sum, wait) => sum + wait * (1 + MAX_JITTER) + GRACE_MS, 0);
  const expected = 8 * acknowledged.length;
  const deadline = performance.now() + allMs + 10_000;
  while (subscriber.arrivals.length < expected && performance.now() < deadline) await sleep(100);
  // A ninth attempt would come within another wait.
  await sleep((waitsMs.at(-1) ?? 0) * (1 + MAX_JITTER) + GRACE_MS);
  await subscriber.close();

  const events = [...arrivalsByEvent(subscriber.arrivals).values()];
  const gaps = events.map((arrivals) => gapsOf(arrivals));
  const offSchedule = gaps.flat().filter(({ gapMs, number }) => {
    const wait = waitsMs[number] ?? Number.NaN;
    return !(gapMs >= wait && gapMs <= wait * (1 + MAX_JITTER) + GRACE_MS);
  });
  const requests = new Set(events.map((arrivals) => arrivals.length));
  const unequal = events.filter((arrivals) => arrivals.some(({ body }) => !body.equals(arrivals[0]?.body ?? body)));
  const unsigned = subscriber.arrivals.filter((arrival) => !isFreshlySigned(subscriber.secret, arrival));
  return reportOf(
    {
      events: acknowledged.length,
      speedup: options.speedup,
      requestsPerEvent: [...requests],
      expectedWaitsSeconds: waitsMs.map(seconds),
      waitsSecondsOfFirstEvent: gaps[0]?.map(({ gapMs }) => seconds(gapMs)),
      offSchedule: offSchedule.length,
      unequalBodies: unequal.length,
      badSignatures: unsigned.length,
    },
    [
      [events.length === acknowledged.length, "every event is tried"],
      [requests.size === 1 && requests.has(8), "each event is sent exactly eight times"],
      [offSchedule.length === 0, "each attempt comes when the schedule says"],
      [unequal.length === 0, "every attempt has the same bytes"],
      [unsigned.length === 0, "every attempt is signed anew"],
    ],
  );
}

function gapsOf(arrivals: readonly Arrival[]) {
  return arrivals.slice(1).map(({ atMs }, number) => ({ number, gapMs: atMs - (arrivals[number]?.atMs ?? 0) }));
}

/** Signed with the time of its sending. */
function isFreshlySigned(secret: string, { signature, body, atMs }: Arrival): boolean {
  const arrivedSeconds = (performance.timeOrigin + atMs) / 1000;
  const signedSeconds = Number(/^t=(\d+),/.exec(signature)?.[1]);
  return (
    Math.abs(arrivedSeconds - signedSeconds) < 3 && verifySignature(secret, signature, body, Math.floor(arrivedSeconds))
  );
}
