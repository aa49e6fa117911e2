import { percentile } from "../open-loop.js";

/** Megabytes of each process at one moment, by its name. */
export type Memory = Readonly<Record<string, number>>;

/** How the memory of a process changed over a load, in megabytes. */
export interface MemoryGrowth {
  /**
   * The 90th percentile of the samples, of the first fifth of them and of the last. A mean would be misleading: garbage collection runs at
   * irregular times, sometimes halves a small heap, and the heap takes minutes to grow again; a leak shows in its upper level.
   */
  first: number;
  last: number;
  max: number;
  /** The growth from `first` to `last` as a fraction: 0.1 for a tenth more. */
  growth: number;
}

const USUAL = 0.9;

/** Compares the end of a load with its beginning, process by process. */
export function memoryGrowth(samples: readonly Memory[]): Record<string, MemoryGrowth> {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const all = samples.map((sample) => sample[name] ?? 0);
      const [first, last] = [percentile(all.slice(0, fifth), USUAL), percentile(all.slice(-fifth), USUAL)];
      return [name, { first, last, max: Math.max(...all), growth: last / first - 1 }];
    }),
  );
}
