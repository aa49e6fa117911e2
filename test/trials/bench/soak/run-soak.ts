import { setTimeout as sleep } from "node:timers/promises";
import { cases } from "../cases.js";
import { closedLoop } from "../load.js";
import { describeMachine, type Machine } from "../machine.js";
import type { Operation } from "../open-loop.js";
import type { BenchOptions } from "../options.js";
import { startPlatform } from "../platform.js";
import { openBareReceiver } from "../receiver.js";
import { seed } from "../seed.js";
import { subscribeAll } from "../subscriptions.js";
import { type Memory, type MemoryGrowth, memoryGrowth } from "./memory-growth.js";

/** The results of a run about memory. */
export interface SoakReport {
  machine: Machine;
  startedAt: string;
  seconds: number;
  clients: number;
  operations: number;
  failed: number;
  /** Events that reached the receiver. */
  received: number;
  memoryMb: Record<string, MemoryGrowth>;
  samples: Memory[];
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
  const platform = await startPlatform({
    replicas: options.replicas,
    accounts: ACCOUNTS,
    keysOfEach: KEYS_OF_EACH,
  });
  let received = 0;
  const receiver = await openBareReceiver(() => received++);
  try {
    const { target } = platform;
    const seeds = await seed(target, SEEDS);
    await subscribeAll(target, () => receiver.url);
    const mixed = inTurn(cases.filter(({ prepare }) => !prepare).map((one) => one.operation(target, seeds)));
    say(`Warming up for ${WARM_UP_SECONDS} s …`);
    await closedLoop(mixed.operation, { clients, seconds: WARM_UP_SECONDS });
    const failedBefore = mixed.failed();
    say(`Watching for ${seconds} s …`);
    const samples: Memory[] = [];
    const watching = new AbortController();
    const watch = sampleMemory(() => samples.push(target.memoryMb()), watching.signal);
    const { operations } = await closedLoop(mixed.operation, { clients, seconds });
    watching.abort();
    await watch;
    const failed = mixed.failed() - failedBefore;
    const memoryMb = memoryGrowth(samples);
    return { machine, startedAt, seconds, clients, operations, failed, received, memoryMb, samples };
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
