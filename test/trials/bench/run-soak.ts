import { setTimeout as sleep } from "node:timers/promises";
import { openEventReceiver } from "../kit/event-receiver.js";
import { closedLoop, type Operation } from "../kit/load.js";
import { percentile } from "../kit/statistics.js";
import { textTable } from "../kit/text-table.js";
import { cases } from "./cases.js";
import { describeMachine, type Machine, machineLine } from "./machine.js";
import type { BenchOptions } from "./options.js";
import { startPlatform } from "./platform.js";
import { seed, subscribeAll } from "./seed.js";

/** The results of a run about memory. */
interface SoakReport {
  machine: Machine;
  startedAt: string;
  seconds: number;
  clients: number;
  operations: number;
  failed: number;
  /** Events that reached the receiver. */
  received: number;
  /** Megabytes of each process at one moment, by its name. */
  samples: Record<string, number>[];
}

const WARM_UP_SECONDS = 120;
const SAMPLE_MS = 10_000;
const ACCOUNTS = 80;
const KEYS_OF_EACH = 50;
const SEEDS = { shipments: 26, labels: 3 };

/** Watches the memory of every process after the warm-up, under all kinds of requests at once, with a delivery for each shipment. */
export async function runSoak(options: BenchOptions, say: (line: string) => void): Promise<SoakReport> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const { clients, soak: seconds } = options;
  const platform = await startPlatform({ replicas: options.replicas, accounts: ACCOUNTS, keysOfEach: KEYS_OF_EACH });
  const receiver = await openEventReceiver();
  try {
    const { target } = platform;
    const seeds = await seed(target, SEEDS);
    await subscribeAll(target, () => receiver.url);
    const mixed = inTurn(cases.filter(({ prepare }) => !prepare).map((one) => one.operation(target, seeds)));
    say(`Warming up for ${WARM_UP_SECONDS} s …`);
    await closedLoop(mixed.operation, { clients, seconds: WARM_UP_SECONDS });
    const failedBefore = mixed.failed();
    say(`Watching for ${seconds} s …`);
    const samples: SoakReport["samples"] = [];
    const watching = new AbortController();
    const watch = sampleMemory(() => samples.push(target.memoryMb()), watching.signal);
    const { operations } = await closedLoop(mixed.operation, { clients, seconds });
    watching.abort();
    await watch;
    const failed = mixed.failed() - failedBefore;
    const received = receiver.arrivals.length;
    return { machine, startedAt, seconds, clients, operations, failed, received, samples };
  } finally {
    await platform.stop();
    await receiver.close();
  }
}

/** Runs operations one after the other, and counts the failures. */
function inTurn(operations: readonly Operation[]): { operation: Operation; failed(): number } {
  let turn = 0;
  let failed = 0;
  return {
    operation: () =>
      operations[turn++ % operations.length]!().catch((error) => {
        failed++;
        throw error;
      }),
    failed: () => failed,
  };
}

async function sampleMemory(sample: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    sample();
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * A line for each process. First and last are the 90th percentile of the first and of the last fifth of the samples. A mean would be misleading:
 * garbage collection runs at irregular times, sometimes halves a small heap, and the heap takes minutes to grow again; a leak shows in its upper
 * level.
 */
export function renderSoak({ machine, seconds, clients, operations, failed, received, samples }: SoakReport): string {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const rows = Object.keys(samples[0] ?? {}).map((name) => {
    const all = samples.map((sample) => sample[name] ?? 0);
    const [first, last] = [percentile(all.slice(0, fifth), 0.9), percentile(all.slice(-fifth), 0.9)];
    const figures = [first, last, Math.max(...all)].map((mb) => mb.toFixed(0));
    return [name, ...figures, `${(100 * (last / first - 1)).toFixed(1)} %`];
  });
  return [
    machineLine(machine),
    `${operations} operations of ${clients} clients in ${seconds} s after warming up, ${failed} failed; ${received} events received`,
    "",
    textTable(["memory, MB", "first fifth", "last fifth", "most", "growth"], rows),
  ].join("\n");
}
