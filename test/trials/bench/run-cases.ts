import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "./cases.js";
import { type Floor, startFloor } from "./floor/start-floor.js";
import { describeMachine } from "./machine.js";
import { measureCase } from "./measure-case.js";
import { type EventLatency, measureDeliveries } from "./measure-deliveries.js";
import type { BenchOptions } from "./options.js";
import { type Platform, startPlatform } from "./platform.js";
import type { Measured } from "./process-costs.js";
import { nodeProcesses, profiling, startProfiles, summary } from "./profiles.js";
import type { Report } from "./report.js";
import { seed } from "./seed.js";

const ACCOUNTS = 80;
const KEYS_OF_EACH = 50;
const SEEDS = { shipments: 26, labels: 3 };

/** Measures the cases on a platform and a floor, which it starts and stops. */
export async function runCases(options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const profiles = options.profile ? await mkdtemp(join(tmpdir(), "shipping-profiles-")) : undefined;
  const floor = await startFloor({ accounts: ACCOUNTS });
  try {
    // The case measures the cost of an error, not the delay with which it is sent.
    const env = { ADDRESS_REQUESTS_PER_SECOND: "1000000", ...(profiles && profiling(profiles)) };
    const wanted = { replicas: options.replicas, tls: options.tls, accounts: ACCOUNTS, keysOfEach: KEYS_OF_EACH, env };
    const platform = await startPlatform(wanted);
    const { processes } = await platform.cluster.now();
    const begin = () => profiles && startProfiles(processes);
    const measured = await measureAll(platform, floor, options, { say, begin }).finally(() => platform.stop());
    if (profiles) sayProfiles(profiles, processes);
    return { machine, startedAt, ...measured };
  } finally {
    await floor.stop();
  }
}

/** `begin` is called before the first measurement, when all is set up. */
async function measureAll(
  platform: Platform,
  floor: Floor,
  { rounds, seconds, clients, rate, replicas, measured }: BenchOptions,
  { say, begin }: { say(line: string): void; begin(): void },
): Promise<Omit<Report, "machine" | "startedAt">> {
  const effort = { rounds, seconds, clients, rate };
  say("Seeding …");
  const targets = {
    platform: { target: platform.target, seeds: await seed(platform.target, SEEDS) },
    floor: { target: floor.target, seeds: await seed(floor.target, SEEDS) },
  };
  const before = platform.target.memoryMb();
  begin();
  const results: Report["cases"] = {};
  for (const one of cases.filter(({ name }) => measured.includes(name))) {
    say(`${one.name}: ${one.does} …`);
    results[one.name] = await measureCase(one, targets, effort);
  }
  let events: EventLatency | undefined;
  if (measured.includes("deliveries")) {
    say("deliveries: an event from the bus to its receiver …");
    const found = await measureDeliveries(platform, floor, effort);
    results.deliveries = found.deliveries;
    events = found.events;
  }
  const memoryMb = { before, after: platform.target.memoryMb() };
  return { effort: { ...effort, replicas }, cases: results, events, memoryMb };
}

function sayProfiles(folder: string, processes: readonly Measured[]): void {
  for (const process of nodeProcesses(processes)) console.log(`\n${summary(folder, process)}`);
  console.log(`\nThe profiles are in ${folder}; Chrome's developer tools show them.\n`);
}
