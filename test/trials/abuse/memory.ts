import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "yaml";
import type { Measured } from "../kit/processes.js";

/** Makes the kernel reset the memory peaks. proc(5): a 5 resets the "high water mark" of a process. Linux only. */
export function resetPeaks(processes: readonly Measured[]): void {
  for (const { pid } of processes) writeFileSync(`/proc/${pid}/clear_refs`, "5");
}

/**
 * The peak memory of each process since then, in megabytes, as the kernel records it. Sampling the current size instead would stop the process
 * while its pages are counted, which would slow the victim's requests.
 */
export function peakMbOf(processes: readonly Measured[]): Record<string, number> {
  return read(processes, /^VmHWM:\s+(\d+) kB/m);
}

/** The current memory of each process in megabytes, as the kernel estimates it without counting pages. */
export function currentMbOf(processes: readonly Measured[]): Record<string, number> {
  return read(processes, /^VmRSS:\s+(\d+) kB/m);
}

function read(processes: readonly Measured[], line: RegExp): Record<string, number> {
  return Object.fromEntries(
    processes.map(({ name, pid }) => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return [name, Number(line.exec(status)?.[1]) / 1024];
    }),
  );
}

interface ChartValues {
  parts: Record<string, { resources: { limits: { memory: string } } }>;
}

/** The chart's memory limit of each part, in megabytes. */
export function memoryLimits(): Record<string, number> {
  const text = readFileSync(new URL("../../../deploy/chart/values.yaml", import.meta.url), "utf8");
  const { parts } = parse(text) as ChartValues;
  return Object.fromEntries(
    Object.entries(parts).map(([part, { resources }]) => [part, Number.parseInt(resources.limits.memory, 10)]),
  );
}
