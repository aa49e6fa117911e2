import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "./cases.js";
import { startFloor } from "./floor/start-floor.js";
import { describeMachine } from "./machine.js";
import { measureCase } from "./measure-case.js";
import { type EventLatency, measureDeliveries } from "./measure-deliveries.js";
import type { BenchOptions } from "./options.js";
import { startPlatform } from "./platform.js";
import type { Measured } from "./process-costs.js";
import { nodeProcesses, profiling, startProfiles, summary } from "./profiles.js";
import type { Report } from "./report.js";
import { seed } from "./seed.js";

const ACCOUNTS = 40;
const KEYS_OF_EACH = 100;
const SEEDS = { shipments: 26, labels: 3 };

/** Measures the cases on a platform and a floor that it starts, and stops when it has all figures. */
export async function runCases(options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const { rounds, seconds, clients, rate, replicas } = options;
  const effort = { rounds, seconds, clients, rate };
  const floor = await startFloor({ accounts: ACCOUNTS });
  const profiles = options.profile ? await mkdtemp(join(tmpdir(), "shipping-profiles-")) : undefined;
  const env = profiles ? profiling(profiles) : {};
  const platform = await startPlatform({ replicas, accounts: ACCOUNTS, keysOfEach: KEYS_OF_EACH, env });
  const { processes } = await platform.cluster.now();
  try {
    say("Seeding …");
    const targets = {
      platform: { target: platform.target, seeds: await seed(platform.target, SEEDS) },
      floor: { target: floor.target, seeds: await seed(floor.target, SEEDS) },
    };
    const before = platform.target.memoryMb();
    if (profiles) startProfiles(processes);
    const results: Report["cases"] = {};
    for (const one of cases.filter(({ name }) => options.measured.includes(name))) {
      say(`${one.name}: ${one.does} …`);
      results[one.name] = await measureCase(one, targets, effort);
    }
    let events: EventLatency | undefined;
    if (options.measured.includes("deliveries")) {
      say("deliveries: an event from the bus to its receiver …");
      const found = await measureDeliveries(platform, floor, effort);
      results.deliveries = found.deliveries;
      events = found.events;
    }
    const memoryMb = { before, after: platform.target.memoryMb() };
    return { machine, startedAt, effort: { ...effort, replicas }, cases: results, events, memoryMb };
  } finally {
    await platform.stop();
    await floor.stop();
    if (profiles) sayProfiles(profiles, processes);
  }
}

function sayProfiles(folder: string, processes: readonly Measured[]): void {
  for (const process of nodeProcesses(processes)) console.log(`\n${summary(folder, process)}`);
  console.log(`\nThe profiles are in ${folder}; Chrome's developer tools show them.\n`);
}
