import { cases } from "./cases.js";
import { type Floor, startFloor } from "./floor/start-floor.js";
import { describeMachine } from "./machine.js";
import { measureCase } from "./measure-case.js";
import { type EventLatency, measureDeliveries } from "./measure-deliveries.js";
import type { BenchOptions } from "./options.js";
import { type Platform, startPlatform } from "./platform.js";
import type { Report } from "./report.js";
import { seed } from "./seed.js";

const ACCOUNTS = 80;
const KEYS_OF_EACH = 50;
const SEEDS = { shipments: 26, labels: 3 };

/** Measures the cases on a platform and a floor, which it starts and stops. */
export async function runCases(options: BenchOptions, say: (line: string) => void): Promise<Report> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const floor = await startFloor({ accounts: ACCOUNTS });
  try {
    // The case measures the cost of an error, not the delay with which it is sent.
    const env = { ADDRESS_REQUESTS_PER_SECOND: "1000000" };
    const wanted = { replicas: options.replicas, tls: options.tls, accounts: ACCOUNTS, keysOfEach: KEYS_OF_EACH, env };
    const platform = await startPlatform(wanted);
    const measured = await measureAll(platform, floor, options, say).finally(() => platform.stop());
    return { machine, startedAt, ...measured };
  } finally {
    await floor.stop();
  }
}

async function measureAll(
  platform: Platform,
  floor: Floor,
  { rounds, seconds, clients, rate, replicas, measured }: BenchOptions,
  say: (line: string) => void,
): Promise<Omit<Report, "machine" | "startedAt">> {
  const effort = { rounds, seconds, clients, rate };
  say("Seeding …");
  const targets = {
    platform: { target: platform.target, seeds: await seed(platform.target, SEEDS) },
    floor: { target: floor.target, seeds: await seed(floor.target, SEEDS) },
  };
  const before = platform.target.memoryMb();
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
