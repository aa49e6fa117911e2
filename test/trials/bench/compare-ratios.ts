/** What part of the platform's cost, and of the floor's speed, a case has: 1 would be as cheap, or as fast, as the floor. */
export interface Ratios {
  cpu: number;
  throughput: number;
}

/** The ratios of the cases, by how many processes there were of each part. */
export type Column = Record<number, Record<string, Ratios>>;

/** A column for each measured version of Node, by its first number: that of the images, and the oldest that will do. */
export type Baseline = Record<number, Column>;

/** The column of a version of Node; without one of its own, that of the newest before it. */
export function columnFor(baseline: Baseline, node: number): Column {
  return (
    baseline[
      Math.max(
        ...Object.keys(baseline)
          .map(Number)
          .filter((measured) => measured <= node),
      )
    ] ?? {}
  );
}

/** By CPU alone, since a machine that does something else as well changes the throughput most, and only by much: runs of the same code differ, too. */
const FALL = 0.5;

/** Why these cases cannot be compared with a column of the baseline; undefined if they can. */
export function incomparable(column: Column, replicas: number, measured: readonly string[]): string | undefined {
  const missing = measured.filter((name) => !column[replicas]?.[name]?.cpu);
  if (missing.length === 0) return undefined;
  return `With --replicas ${replicas}, the baseline has no ratio of ${missing.join(", ")}.`;
}

/** The ratios by CPU that have fallen by more than a half since the baseline, each in a line. What only one of both has is not compared. */
export function fallen(baseline: Record<string, Ratios>, now: Record<string, Ratios>): string[] {
  return Object.entries(baseline).flatMap(([name, before]) => {
    const after = now[name];
    // Without a single operation of the platform or the floor, the ratio is no finite number.
    if (!after || (Number.isFinite(after.cpu) && after.cpu >= before.cpu * (1 - FALL))) return [];
    return [`${name}: the ratio by CPU fell from ${before.cpu.toFixed(2)} to ${after.cpu.toFixed(2)}`];
  });
}

/** Of a hundred operations, so many may fail. */
const MAY_FAIL = 1;

/** The cases in which too many operations failed for their ratios to say anything, each in a line. */
export function failing(cases: Record<string, { attempts?: number; failures?: Record<string, number> }>): string[] {
  return Object.entries(cases).flatMap(([name, { attempts = 0, failures = {} }]) => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    return failed * 100 > attempts * MAY_FAIL ? [`${name}: ${failed} of ${attempts} operations failed`] : [];
  });
}
