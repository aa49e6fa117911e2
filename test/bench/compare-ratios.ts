/** What part of the platform's cost, and of the floor's speed, a case has: 1 would be as cheap, or as fast, as the floor. */
export interface Ratios {
  cpu: number;
  throughput: number;
}

const FALL = 0.25;

/** The ratios that have fallen by more than a quarter since the baseline, each in a line. What only one of both has is not compared. */
export function fallen(baseline: Record<string, Ratios>, now: Record<string, Ratios>): string[] {
  return Object.entries(baseline).flatMap(([name, before]) => {
    const after = now[name];
    if (!after) return [];
    return (["cpu", "throughput"] as const)
      .filter((kind) => after[kind] < before[kind] * (1 - FALL))
      .map((kind) => `${name}: the ratio by ${kind} fell from ${before[kind].toFixed(2)} to ${after[kind].toFixed(2)}`);
  });
}
