import { examples, wholeNumber } from "@shipping/local/option-values";
import { Command, InvalidArgumentError, Option } from "commander";
import { nodes } from "../versions/combinations.js";
import { cases } from "./cases.js";

/** The names of measurements in `--only`. */
export const measurements: readonly string[] = [...cases.map(({ name }) => name), "deliveries"];

/** The options of `npm run bench`, as its help explains them. */
export interface BenchOptions {
  measured: readonly string[];
  seconds: number;
  rounds: number;
  clients: number;
  rate: number;
  replicas: number;
  tls: boolean;
  /** 0 if the cases are measured, and not memory. */
  soak: number;
  check: boolean;
  baseline: boolean;
  node?: string;
}

// They have no effect if no cases are compared: a run that ignored `--check` would pass.
const OF_CASES = ["only", "tls", "check", "baseline"];
const positive = wholeNumber(1, 1_000_000);

/** Parses the command line. An invalid one ends the process with an error message. */
export function benchOptions(): BenchOptions {
  const command = new Command("npm run bench --")
    .description("Measure what requests cost, compared with the minimum.")
    .option("--only <names>", `measure only these: ${measurements.join(", ")}`, named, measurements)
    .option("--seconds <n>", "duration of each round for each target", positive, 2)
    .option("--rounds <n>", "rounds", positive, 3)
    .option("--clients <n>", "number of concurrent clients", positive, 24)
    .option("--rate <n>", "operations per second for latency measurements", positive, 100)
    .option("--replicas <n>", "number of processes of each part", positive, 1)
    .addOption(
      new Option("--soak <seconds>", "measure memory under load for this many seconds instead")
        .argParser(positive)
        .default(0)
        .conflicts(OF_CASES),
    )
    .option("--tls", "use mutual TLS between the parts", false)
    .addOption(
      new Option(
        "--check",
        "fail if a case costs twice as much CPU, compared with the floor, as in the baseline, or if 1% of it fails",
      )
        .default(false)
        .conflicts("baseline"),
    )
    .option("--baseline", "store the ratios as the new baseline", false)
    .addOption(
      new Option("--node <major>", "run everything on this version of Node, which npm fetches once").choices(
        Object.keys(nodes),
      ),
    )
    .addHelpText("after", examples("npm run bench -- --only get --seconds 1 --rounds 1"))
    .parse();
  const { only: measured, ...options } = command.opts();
  return { measured, ...options } as BenchOptions;
}

function named(text: string): string[] {
  const names = text.split(",");
  const unknown = names.find((name) => !measurements.includes(name));
  if (unknown === undefined) return names;
  throw new InvalidArgumentError(`There is no ${JSON.stringify(unknown)}.`);
}
