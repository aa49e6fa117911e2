import { totalmem } from "node:os";
import { startFloor } from "../floor/start-floor.js";
import { describeMachine, type Machine } from "../machine.js";
import type { BenchOptions } from "../options.js";
import { startPlatform } from "../platform.js";
import { type ClaimResult, measureClaims } from "./measure-claims.js";
import { measureGrowth, type SizeResult } from "./measure-growth.js";

/** The results of a run about growth. */
export interface GrowthReport {
  machine: Machine;
  startedAt: string;
  /** PostgreSQL's own cache. */
  sharedBuffersMb: number;
  sizes: SizeResult[];
  claims: ClaimResult;
}

// Few accounts, so that each has many rows: costs that grow with an account's rows show sooner.
const ACCOUNTS = 10;
const KEYS_OF_EACH = 50;
// The total limit of 4,000 keys by default.
const REQUESTS_PER_MINUTE = 960;
const SUBSCRIPTIONS = 1_000;
// The share of memory for PostgreSQL's own cache, large enough that the run measures growth and not a small cache.
const CACHE_SHARE = 0.45;

/** Measures at each number of rows, on a platform that it starts; and the dispatcher's claim on a backlog. */
export async function runGrowth(options: BenchOptions, say: (line: string) => void): Promise<GrowthReport> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const sharedBuffersMb = Math.floor((CACHE_SHARE * totalmem()) / 2 ** 20);
  const platform = await startPlatform({
    replicas: options.replicas,
    accounts: ACCOUNTS,
    keysOfEach: KEYS_OF_EACH,
    requestsPerMinute: REQUESTS_PER_MINUTE,
    sharedBuffersMb,
  });
  const sizes = await measureGrowth(platform, options.rows, options, say).finally(() => platform.stop());

  const { deliveries } = options;
  say(`Loading ${deliveries} done and ${deliveries / 2} due deliveries …`);
  const floor = await startFloor({ accounts: 1 });
  const backlog = { subscriptions: SUBSCRIPTIONS, done: deliveries, due: Math.ceil(deliveries / 2) };
  const claims = await measureClaims(floor.postgresUrl, backlog).finally(() => floor.stop());
  return { machine, startedAt, sharedBuffersMb, sizes, claims };
}
