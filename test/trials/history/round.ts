import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import type { EventReceiver } from "../kit/event-receiver.js";
import { promisedEvents, toldBy } from "./check/events.js";
import { judge } from "./check/judge.js";
import type { Anomaly, Disturbance } from "./check/operation.js";
import { wrongLimits } from "./check/rate-limit.js";
import type { Fault, Stage } from "./faults/stage.js";
import { clientOf, contend } from "./workload/contend.js";
import { type Customer, newCustomer, newKeys, revokeInUse, useKey } from "./workload/customers.js";
import { type Chance, type Recorder, record } from "./workload/recorder.js";

/** The results of one fault. */
export interface Round {
  operations: number;
  events: number;
  /** Requests that were refused by the limit. */
  limited: number;
  anomalies: Anomaly[];
}

/** The plan of a round: the time before the fault and after it, the customers, and the clients of each. */
export interface Pace {
  calmMs: number;
  customers: number;
  clients: number;
}

/** Requests per minute and key: low enough that one client reaches it within a round. */
export const LIMIT = 240;

const MAX_OPERATIONS = 200_000;
const EVENTS_MS = 180_000;
const WELL_MS = 2_000;

/** A key of the platform that always sends more than the limit. Its history spans all rounds. */
export async function startGreedy({ cluster, gateways }: Stage, chance: Chance) {
  const { accountId: account } = await cluster.newCustomer("Greedy");
  const [key] = await newKeys(cluster, account, 1);
  const recorder = record(cluster.gateways, gateways, chance);
  const stopping = new AbortController();
  let keptMs = Number.NEGATIVE_INFINITY;
  const using = Array.from({ length: 3 }, () =>
    useKey(recorder, { account, key: key!, pauseMs: 100 }, stopping.signal),
  );
  const { history } = recorder;
  return {
    disturbed: (...some: Disturbance[]) => history.disturbances.push(...some),
    /** The new anomalies since the last call, and the number of refused requests. Two windows are kept. */
    judge() {
      const anomalies = wrongLimits(history, LIMIT, keptMs);
      const limited = history.operations.filter(({ status }) => status === 429).length;
      keptMs = performance.now() - 130_000;
      history.operations = history.operations.filter(({ startMs }) => startMs > keptMs);
      return { anomalies, limited };
    },
    async stop() {
      stopping.abort();
      await Promise.all(using);
    },
  };
}

/** Lets clients compete during a fault, then lets them find out the outcome of every request, and judges their observations. */
export async function playRound(
  stage: Stage,
  { name, play }: { name: string; play: Fault },
  around: { sink: EventReceiver; chance: Chance; pace: Pace; greedy: Awaited<ReturnType<typeof startGreedy>> },
): Promise<Round> {
  const { cluster, gateways } = stage;
  const { sink, chance, pace, greedy } = around;
  const recorder = record(cluster.gateways, gateways, chance);
  const customers = await Promise.all(
    Array.from({ length: pace.customers }, () => newCustomer(cluster, recorder, sink)),
  );
  const stopping = new AbortController();
  const working = customers.flatMap((customer) => [
    revokeInUse(recorder, cluster, { ...customer, everyMs: pace.calmMs / 2 }, stopping.signal),
    ...Array.from({ length: pace.clients }, () => contend(recorder, customer, chance, stopping.signal)),
  ]);
  const worked = Promise.all(working);
  worked.catch(() => stopping.abort());
  try {
    await sleep(pace.calmMs);
    const fromMs = performance.now();
    const kinds = await play();
    await cluster.healthy();
    const toMs = performance.now() + WELL_MS;
    const disturbances = [name, ...kinds].map((kind) => ({ name: kind, fromMs, toMs }));
    recorder.history.disturbances.push(...(name === "none" ? [] : disturbances));
    greedy.disturbed(...recorder.history.disturbances);
    const calmed = Date.now() + pace.calmMs;
    while (Date.now() < calmed && recorder.count() < MAX_OPERATIONS && !stopping.signal.aborted) await sleep(100);
  } finally {
    stopping.abort();
  }
  await worked;
  await settle(recorder, customers, chance);
  const { history } = recorder;
  const limits = greedy.judge();
  return {
    operations: recorder.count(),
    events: toldBy(history.arrivals).size,
    limited: limits.limited,
    anomalies: [...judge(history, { limit: LIMIT }), ...limits.anomalies],
  };
}

/** Reads all lists and waits for the last events, which shows the outcome of lost responses. */
async function settle(
  { history, ...recorder }: Recorder,
  customers: readonly Customer[],
  chance: Chance,
): Promise<void> {
  await Promise.all(customers.map((customer) => clientOf({ history, ...recorder }, customer, chance).walkAll()));
  const arrived = () => (history.arrivals = customers.flatMap((customer) => customer.arrivals()));
  const promised = [...promisedEvents(history).keys()];
  await eventually(() => requireAll(promised, toldBy(arrived())), { withinMs: EVENTS_MS }).catch(() => {});
  await Promise.all(customers.map((customer) => customer.close()));
}

function requireAll(promised: readonly string[], told: ReadonlySet<string>): void {
  const missing = promised.filter((one) => !told.has(one));
  if (missing.length > 0) throw new Error(`${missing.length} events are missing.`);
}
