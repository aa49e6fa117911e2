import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bus } from "@shipping/kit/events/bus";
import { toBusIdentity } from "@shipping/kit/events/bus-identity";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import { eventually } from "@shipping/kit/testing/eventually";
import { createJetStreamBus } from "@shipping/webhooks/stream/jetstream-bus";
import { parcelBody } from "../kit/bodies.js";
import { type Arrival, openEventReceiver } from "../kit/event-receiver.js";
import { eachOf, openLoop } from "../kit/load.js";
import { percentiles } from "../kit/statistics.js";
import type { Floor } from "./floor/start-floor.js";
import type { Platform } from "./platform.js";
import { compareRounds, measureRound, type Round } from "./round.js";
import { createShipment, subscribeAll } from "./seed.js";
import { settled, type Target } from "./target.js";

const data = JSON.stringify({ id: "shp_bench", object: "shipment", status: "draft", ...parcelBody });

/** From the response to a write to the receipt of its event, in milliseconds; 0 if the event came first. */
export type EventLatency = Awaited<ReturnType<typeof measureEvents>>;

const EVENTS_PER_SECOND = 200;
const PUBLISHING = 128;
/** Deliveries of a round, for each second that it may take. */
const PER_SECOND = 4000;
const ARRIVED_MS = 120_000;

type Work = () => Promise<{ operations: number; seconds: number }>;

/** Measures the cost of a delivery to a receiver in this process, and the delay of events. Afterwards every customer has a subscription, so it must run last. */
export async function measureDeliveries(platform: Platform, floor: Floor, effort: { rounds: number; seconds: number }) {
  const receiver = await openEventReceiver();
  const { arrivals } = receiver;
  const { url, passwords } = JSON.parse(await readFile(join(platform.cluster.dataDir, "nats.json"), "utf8"));
  const operator = { NATS_USER: "operator", NATS_PASSWORD: passwords.operator };
  const identity = toBusIdentity({ ...operator, NATS_ANONYMOUS_TRUSTS_NETWORK: false, NODE_ENV: "development" });
  const bus = createJetStreamBus({ url, name: "bench", identity, log: silentLog() });
  try {
    await subscribeAll(platform.target, () => receiver.url);
    await eventually(() => {
      if (!bus.connected()) throw new Error("The bus is not connected.");
    });
    const count = PER_SECOND * effort.seconds;
    const onPlatform = () => deliverOnPlatform(platform, bus, arrivals, count);
    const onFloor = () => deliverOnFloor(floor, receiver.url, count);
    const deliveries = await compare(platform.target, onPlatform, floor.target, onFloor, effort.rounds);
    return { deliveries, events: await measureEvents(platform, arrivals, effort.rounds * effort.seconds) };
  } finally {
    await bus.close();
    await receiver.close();
  }
}

async function compare(ours: Target, onPlatform: Work, least: Target, onFloor: Work, rounds: number) {
  await onPlatform();
  await onFloor();
  const platform: Round[] = [];
  const floor: Round[] = [];
  while (platform.length < rounds) {
    await settled(ours);
    platform.push(await measureRound(ours, onPlatform));
    floor.push(await measureRound(least, onFloor));
  }
  return compareRounds(platform, floor);
}

// Published directly on the bus, because the cases of the API include the cost of making an event.
async function deliverOnPlatform({ target }: Platform, bus: Bus, arrivals: readonly Arrival[], count: number) {
  let left = count;
  const last = arrivals.length + count - 1;
  async function publish(): Promise<void> {
    while (left-- > 0) {
      const caller = { accountId: target.customers.next().accountId, environment: "sandbox" } as const;
      await bus.publish(newEvent({ type: "shipment.created", caller, data, now: new Date(), random: randomBytes }));
    }
  }
  const begun = performance.now();
  await eachOf(PUBLISHING, publish);
  await arrived(arrivals, last + 1);
  return { operations: count, seconds: (arrivals[last]!.atMs - begun) / 1000 };
}

async function deliverOnFloor({ target }: Floor, url: string, count: number) {
  const customer = target.customers.next();
  const body = { url, count, data };
  const answer = await target.call({ customer, method: "POST", path: "/deliveries", body, expect: 200 });
  return JSON.parse(answer.toString()).data as { operations: number; seconds: number };
}

async function measureEvents({ target }: Platform, arrivals: readonly Arrival[], seconds: number) {
  const answers = new Map<string, number>();
  const before = arrivals.length;
  const create = async () => {
    const { id } = await createShipment(target, target.customers.next());
    answers.set(id, performance.now());
  };
  const load = await openLoop(create, { rate: EVENTS_PER_SECOND, seconds });
  await arrived(arrivals, before + answers.size);
  const waits = arrivals
    .slice(before)
    .map(({ atMs, resourceId }) => Math.max(0, atMs - (answers.get(resourceId()) ?? Number.NaN)));
  return { perSecond: load.operations / load.seconds, ...percentiles(waits) };
}

function arrived(arrivals: readonly Arrival[], count: number): Promise<void> {
  return eventually(
    () => {
      if (arrivals.length < count) throw new Error(`Only ${arrivals.length} of ${count} events have arrived.`);
    },
    { withinMs: ARRIVED_MS },
  );
}
