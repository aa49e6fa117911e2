import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Measured } from "./process-costs.js";
import { textTable } from "./text-table.js";

/** V8's profile: a tree of functions, and the function on top of the stack at each sample. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

const RECORDER = new URL("record-profile.mjs", import.meta.url).href;

/** The environment that lets Node.js processes profile themselves on request; the profiles go to `folder`. */
export function profiling(folder: string): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--import=${RECORDER}`, PROFILES: folder };
}

/** The processes that run Node.js. */
export function nodeProcesses(processes: readonly Measured[]): Measured[] {
  return processes.filter(({ name }) => name !== "postgres" && name !== "nats");
}

/** Starts profiling processes; they write the profiles when they end. */
export function startProfiles(processes: readonly Measured[]): void {
  for (const { pid } of nodeProcesses(processes)) process.kill(pid, "SIGUSR2");
}

/** The functions in which a process spent its time, the most expensive first. */
export function summary(folder: string, { name, pid }: Measured, lines = 25): string {
  const profile = JSON.parse(readFileSync(join(folder, `${pid}.cpuprofile`), "utf8")) as CpuProfile;
  const spent = timeByFunction(profile);
  const busy = spent.reduce((sum, { ms }) => sum + ms, 0);
  const rows = spent
    .slice(0, lines)
    .map(({ what, ms }) => [what, ms.toFixed(0), `${((100 * ms) / busy).toFixed(1)} %`]);
  return textTable([`${name}, busy for ${(busy / 1000).toFixed(1)} s`, "ms", "share"], rows);
}

/** Milliseconds on top of the stack, by function and file, without idle time. */
export function timeByFunction(profile: CpuProfile): { what: string; ms: number }[] {
  const whatOf = new Map(profile.nodes.map(({ id, callFrame }) => [id, place(callFrame)]));
  const spent = new Map<string, number>();
  for (const [index, node] of profile.samples.entries()) {
    const what = whatOf.get(node) ?? "";
    if (what === "(idle)") continue;
    spent.set(what, (spent.get(what) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1000);
  }
  return [...spent].map(([what, ms]) => ({ what, ms })).sort((one, other) => other.ms - one.ms);
}

function place({ functionName, url, lineNumber }: CpuProfile["nodes"][number]["callFrame"]): string {
  if (url === "") return functionName || "(anonymous)";
  const file = url.replace(/^.*\/node_modules\//, "").replace(/^file:\/\/.*\/(\w+\/dist\/)/, "$1");
  return `${functionName || "(anonymous)"} ${file}:${lineNumber + 1}`;
}
