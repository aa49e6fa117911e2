import { parseArgs } from "node:util";
import { cases } from "./cases.js";

/** The names by which `--only` takes a measurement. */
export const measurements: readonly string[] = [...cases.map(({ name }) => name), "deliveries"];

/** What `npm run bench` is asked for. */
export interface BenchOptions {
  /** The names of what is measured. */
  measured: readonly string[];
  /** Of each round and target. */
  seconds: number;
  rounds: number;
  clients: number;
  /** Operations per second where latency is measured. */
  rate: number;
  /** Processes of each part. */
  replicas: number;
  /** Whether the parts speak mutual TLS. */
  tls: boolean;
  /** Numbers of rows at which growth is measured, in place of the cases. */
  rows: readonly number[];
  /** Seconds of load over which memory is watched, in place of the cases; 0: not at all. */
  soak: number;
  /** Deliveries among which the dispatcher's claim is measured with growth: done ones, and half as many due. */
  deliveries: number;
  /** Fails when a ratio has fallen by more than a quarter since the baseline. */
  check: boolean;
  /** Makes the ratios the new baseline. */
  baseline: boolean;
  /** Has every process of the platform write a CPU profile, and says where their time went. */
  profile: boolean;
  /** Where the results go as JSON. */
  json?: string;
}

/** Reads the command line; what it cannot understand is an error in a sentence. */
export function benchOptions(args: string[]): BenchOptions {
  const {
    values: { only, ...values },
  } = parseArgs({
    args,
    options: {
      only: { type: "string", default: measurements.join(",") },
      seconds: { type: "string", default: "2" },
      rounds: { type: "string", default: "3" },
      clients: { type: "string", default: "24" },
      rate: { type: "string", default: "100" },
      replicas: { type: "string", default: "1" },
      rows: { type: "string" },
      soak: { type: "string" },
      deliveries: { type: "string", default: "1000000" },
      tls: { type: "boolean", default: false },
      check: { type: "boolean", default: false },
      baseline: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  return {
    measured: only.split(",").map(measurement),
    seconds: whole("seconds", values.seconds),
    rounds: whole("rounds", values.rounds),
    clients: whole("clients", values.clients),
    rate: whole("rate", values.rate),
    replicas: whole("replicas", values.replicas),
    rows: values.rows?.split(",").map((size) => whole("rows", size)) ?? [],
    soak: values.soak === undefined ? 0 : whole("soak", values.soak),
    deliveries: whole("deliveries", values.deliveries),
    tls: values.tls,
    check: values.check,
    baseline: values.baseline,
    profile: values.profile,
    ...(values.json === undefined ? {} : { json: values.json }),
  };
}

function measurement(name: string): string {
  if (measurements.includes(name)) return name;
  throw new Error(`--only takes ${measurements.join(", ")}, separated by commas; not ${JSON.stringify(name)}.`);
}

function whole(name: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1) return value;
  throw new Error(`--${name} takes a whole number from 1, not ${JSON.stringify(text)}.`);
}
