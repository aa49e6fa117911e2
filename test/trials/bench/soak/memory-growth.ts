import { percentile } from "../open-loop.js";

/** Megabytes of each process at one moment, by its name. */
export type Memory = Readonly<Record<string, number>>;

/** How the memory of a process changed over a load, in megabytes. */
export interface MemoryGrowth {
  /**
   * What nine tenths of the samples do not exceed, of the first fifth of them and of the last. Not a mean: a heap falls at moments of its
   * own choosing, a little one by half, and takes minutes to be where it was; a leak shows in how high it stands.
   */
  first: number;
  last: number;
  max: number;
  /** What `last` is beyond `first`, as a part of it: 0.1 for a tenth more. */
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
