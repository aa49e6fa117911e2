const SKEW_MS = 300_000;

/** Clocks of processes that differ by five minutes from the database's, with names for tests. */
export const SKEWED_CLOCKS: [name: string, now: () => Date][] = [
  ["five minutes behind", () => new Date(Date.now() - SKEW_MS)],
  ["five minutes ahead", () => new Date(Date.now() + SKEW_MS)],
];

/** The difference between a time and now by the true clock, in minutes, rounded to a tenth. */
export function minutesFromNow(at: Date): number {
  const tenths = Math.round((at.getTime() - Date.now()) / 6_000);
  return tenths === 0 ? 0 : tenths / 10;
}
