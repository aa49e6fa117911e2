/** The median of several measurements, and their spread. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The spread of at least one value. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}

/** The smallest value that is at least as large as `share` (0 to 1) of all values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Milliseconds with one decimal, by the percentiles that reports show. */
export function percentiles(values: readonly number[]): { p50: number; p95: number; p99: number; max: number } {
  const [p50, p95, p99, max] = [0.5, 0.95, 0.99, 1].map((share) => tenths(percentile(values, share)));
  return { p50: p50!, p95: p95!, p99: p99!, max: max! };
}

/** Seconds with one decimal. */
export function seconds(ms: number): number {
  return tenths(ms / 1000);
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
