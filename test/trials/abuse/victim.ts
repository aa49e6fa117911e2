import { createShipment, post, subscribeAll } from "../bench/seed.js";
import type { Target } from "../bench/target.js";
import { parcelBody } from "../kit/bodies.js";
import { openLoop } from "../kit/load.js";
import { openVerifyingReceiver, type VerifyingReceiver } from "./verifying-receiver.js";

/** A victim's measurements: milliseconds of each request, and wrong responses. */
export interface Experience {
  latencies: number[];
  /** From the response to the receipt of its event. */
  eventLatencies: number[];
  missingEvents: number;
  errors: Record<string, number>;
}

/** The measurements of all rounds. */
export function together(rounds: readonly Experience[]): Experience {
  const errors: Record<string, number> = {};
  for (const [error, count] of rounds.flatMap((round) => Object.entries(round.errors)))
    errors[error] = (errors[error] ?? 0) + count;
  return {
    latencies: rounds.flatMap(({ latencies }) => latencies),
    eventLatencies: rounds.flatMap(({ eventLatencies }) => eventLatencies),
    missingEvents: rounds.reduce((sum, { missingEvents }) => sum + missingEvents, 0),
    errors,
  };
}

/** Requests per second: three reads, a shipment and an order in turn. */
const RATE = 40;
const EVENTS_WITHIN_MS = 20_000;

export type Victim = Awaited<ReturnType<typeof newVictim>>;

/** Customers with ordinary use: reads, writes, and a receiver of events that verifies them as our guides say. */
export async function newVictim(target: Target) {
  const receiver = await openVerifyingReceiver();
  receiver.verifyWith(await subscribeAll(target, (customer) => `${receiver.url}/${customer}`));
  const seeds = await Promise.all(
    target.customers.all.slice(0, 20).map((customer) => createShipment(target, customer)),
  );
  return {
    receiver: receiver.url,
    live: (seconds: number) => live(target, receiver, seeds, seconds),
    close: () => receiver.close(),
  };
}

type Seed = Awaited<ReturnType<typeof createShipment>>;

async function live(target: Target, receiver: VerifyingReceiver, seeds: Seed[], seconds: number): Promise<Experience> {
  const errors: Record<string, number> = {};
  const answeredAt = new Map<string, number>();
  let turn = 0;

  async function once(): Promise<void> {
    const at = turn++;
    try {
      if (at % 5 < 3) {
        const { customer, id } = seeds[at % seeds.length]!;
        await target.call({ customer, path: `/shipments/${id}`, expect: 200 });
      } else if (at % 5 === 3) {
        const { id } = await createShipment(target, target.customers.next());
        answeredAt.set(id, performance.now());
      } else {
        await post(target, target.customers.next(), { path: "/orders", body: parcelBody, expect: 201 });
      }
    } catch (error) {
      const reason = (error as Error).message || (error as NodeJS.ErrnoException).code || "error";
      errors[reason] = (errors[reason] ?? 0) + 1;
      throw error;
    }
  }

  const { latencies } = await openLoop(once, { rate: RATE, seconds });
  const late = await eventLatencies(receiver, answeredAt);
  return { latencies, eventLatencies: late, missingEvents: answeredAt.size - late.length, errors };
}

async function eventLatencies(
  { arrivals }: VerifyingReceiver,
  answeredAt: ReadonlyMap<string, number>,
): Promise<number[]> {
  const deadline = performance.now() + EVENTS_WITHIN_MS;
  for (;;) {
    const late = [...answeredAt].flatMap(([id, answeredMs]) => {
      const atMs = arrivals.get(id);
      return atMs === undefined ? [] : [Math.max(0, atMs - answeredMs)];
    });
    if (late.length === answeredAt.size || performance.now() > deadline) return late;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
