import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Measured, memoryMbOf } from "../bench/process-costs.js";

const SAMPLE_MS = 500;

/** The most that each process had while it was watched, in megabytes. */
export interface MemoryWatch {
  peaks: Record<string, number>;
  stop(): void;
}

export function watchMemory(processes: readonly Measured[]): MemoryWatch {
  const peaks: Record<string, number> = {};
  const sample = () => {
    for (const [name, mb] of Object.entries(memoryMbOf(processes))) peaks[name] = Math.max(peaks[name] ?? 0, mb);
  };
  sample();
  const sampling = setInterval(sample, SAMPLE_MS);
  return {
    peaks,
    stop() {
      clearInterval(sampling);
      sample();
    },
  };
}

interface ChartValues {
  parts: Record<string, { resources: { limits: { memory: string } } }>;
}

/** The chart's memory limit of each part, in megabytes. */
export function memoryLimits(): Record<string, number> {
  const text = readFileSync(new URL("../../deploy/chart/values.yaml", import.meta.url), "utf8");
  const { parts } = parse(text) as ChartValues;
  return Object.fromEntries(
    Object.entries(parts).map(([part, { resources }]) => [part, Number.parseInt(resources.limits.memory, 10)]),
  );
}
