/** The floor's CPU divided by the platform's in each case: 1 would be as cheap as the floor. */
export type Ratios = Record<string, number>;

/** The ratios of the cases, by the number of processes per part. */
export type Column = Record<number, Ratios>;

/** A column for each measured version of Node, by its major version: that of the images, and the oldest supported one. */
export type Baseline = Record<number, Column>;

/** The column of a version of Node, or of the newest version before it. */
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

/** Compares CPU only: other load on the machine affects mostly the throughput. The threshold is large because runs of the same code differ, too. */
const FALL = 0.5;

/** Why these cases cannot be compared with a column of the baseline; undefined if they can. */
export function incomparable(column: Column, replicas: number, measured: readonly string[]): string | undefined {
  const missing = measured.filter((name) => !column[replicas]?.[name]);
  if (missing.length === 0) return undefined;
  return `With --replicas ${replicas}, the baseline has no ratio of ${missing.join(", ")}.`;
}

/** The ratios by CPU that have fallen by more than half since the baseline, each in a line. Cases that only one of both has are ignored. */
export function fallen(baseline: Ratios, now: Ratios): string[] {
  return Object.entries(baseline).flatMap(([name, before]) => {
    const after = now[name];
    // If the platform or the floor completed no operation, the ratio is not a finite number.
    if (after === undefined || (Number.isFinite(after) && after >= before * (1 - FALL))) return [];
    return [`${name}: the ratio by CPU fell from ${before.toFixed(2)} to ${after.toFixed(2)}`];
  });
}

/** Maximum failures per hundred operations. */
const MAY_FAIL = 1;

/** The cases with too many failed operations for a meaningful ratio, each in a line. */
export function failing(cases: Record<string, { attempts?: number; failures?: Record<string, number> }>): string[] {
  return Object.entries(cases).flatMap(([name, { attempts = 0, failures = {} }]) => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    return failed * 100 > attempts * MAY_FAIL ? [`${name}: ${failed} of ${attempts} operations failed`] : [];
  });
}
