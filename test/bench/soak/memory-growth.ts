/** Megabytes of each process at one moment, by its name. */
export type Memory = Readonly<Record<string, number>>;

/** How the memory of a process changed over a load, in megabytes. */
export interface MemoryGrowth {
  /** The mean of the first fifth of the samples, and of the last: a heap rises and falls between collections. */
  first: number;
  last: number;
  max: number;
  /** What `last` is beyond `first`, as a part of it: 0.1 for a tenth more. */
  growth: number;
}

/** Compares the end of a load with its beginning, process by process. */
export function memoryGrowth(samples: readonly Memory[]): Record<string, MemoryGrowth> {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const names = Object.keys(samples[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const all = samples.map((sample) => sample[name] ?? 0);
      const [first, last] = [mean(all.slice(0, fifth)), mean(all.slice(-fifth))];
      return [name, { first, last, max: Math.max(...all), growth: last / first - 1 }];
    }),
  );
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
