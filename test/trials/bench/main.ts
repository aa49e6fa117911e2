import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nodes } from "../versions/combinations.js";
import { getNode } from "../versions/get-programs.js";
import { type Baseline, columnFor, failing, fallen, incomparable } from "./compare-ratios.js";
import { type BenchOptions, benchOptions } from "./options.js";
import { cpuRatiosOf, renderReport } from "./report.js";

const BASELINE = fileURLToPath(new URL("baseline.json", import.meta.url));
// Modules that start the platform are imported where they are used: help and errors do not need them.
const say = (line: string) => process.stderr.write(`${line}\n`);
const major = Number(process.versions.node.split(".")[0]);

/** Measures the platform's cost relative to the minimum for the same work. */
async function bench(options: BenchOptions): Promise<void> {
  // Read before the measurement, so that a check without a baseline fails at once and not after minutes.
  const baseline: Baseline = options.check || options.baseline ? JSON.parse(await readFile(BASELINE, "utf8")) : {};
  const column = columnFor(baseline, major);
  const problem = options.check ? incomparable(column, options.replicas, options.measured) : undefined;
  if (problem !== undefined) {
    console.error(`error: ${problem} Measure one with --baseline, or choose cases with --only.`);
    process.exitCode = 1;
    return;
  }
  const { runCases } = await import("./run-cases.js");
  const report = await runCases(options, say);
  await publish(report, renderReport(report));
  const ratios = cpuRatiosOf(report);
  if (options.check) {
    const problems = [...fallen(column[options.replicas] ?? {}, ratios), ...failing(report.cases)];
    for (const line of problems) console.log(line);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
  if (!options.baseline) return;
  const own = baseline[major] ?? {};
  const updated = { ...baseline, [major]: { ...own, [options.replicas]: { ...own[options.replicas], ...ratios } } };
  await writeFile(BASELINE, `${JSON.stringify(updated, null, 2)}\n`);
}

/** Measures the memory that its processes retain. */
async function soak(options: BenchOptions): Promise<void> {
  const { renderSoak, runSoak } = await import("./run-soak.js");
  const report = await runSoak(options, say);
  await publish(report, renderSoak(report));
}

async function publish(report: { startedAt: string }, text: string): Promise<void> {
  const file = join(".data", "bench", `${report.startedAt.replaceAll(":", "")}.json`);
  await mkdir(join(".data", "bench"), { recursive: true });
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`${text}\n\nAll figures are in ${file}.`);
}

/** Runs the same on another version of Node: child processes use that of this process. */
async function onNode(version: string): Promise<void> {
  const program = join(await getNode(version), "node");
  const other = spawn(program, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  // Both processes get Ctrl-C.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => other.kill());
  const [code] = await once(other, "exit");
  process.exitCode = code ?? 1;
}

const options = benchOptions();
const other = Number(options.node) === major ? undefined : nodes[options.node ?? ""];
if (other) await onNode(other);
else if (options.soak > 0) await soak(options);
else await bench(options);
