const SKEW_MS = 300_000;

/** The clocks of gateways that are five minutes from the database's, with names for tests. */
export const SKEWED_CLOCKS: [name: string, now: () => Date][] = [
  ["five minutes behind", () => new Date(Date.now() - SKEW_MS)],
  ["five minutes ahead", () => new Date(Date.now() + SKEW_MS)],
];

/** How many minutes from now a time is, by the true clock, to a tenth. */
export function minutesFromNow(at: Date): number {
  const tenths = Math.round((at.getTime() - Date.now()) / 6_000);
  return tenths === 0 ? 0 : tenths / 10;
}
