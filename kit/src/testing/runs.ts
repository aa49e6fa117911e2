/**
 * The number of examples that a property is tried with: a few, and `TEST_RUNS` times as many where that is set, to search for a rare fault.
 */
export function runs(few: number): number {
  return few * Number(process.env.TEST_RUNS ?? 1);
}
