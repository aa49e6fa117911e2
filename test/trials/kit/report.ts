/** The measurements of a scenario, and the broken promises, as sentences. */
export interface Report {
  figures: Record<string, unknown>;
  broken: string[];
}

/** Prints a line of progress. */
export type Say = (line: string) => void;

/** A report whose promises are `[kept, sentence]`. */
export function reportOf(figures: Report["figures"], promises: readonly (readonly [boolean, string])[]): Report {
  return { figures, broken: promises.filter(([kept]) => !kept).map(([, sentence]) => sentence) };
}

/** Prints a line after the seconds since the start of the process. */
export const say: Say = (line) => console.error(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`);

/** Prints a report as JSON. The process will fail if a promise was broken. */
export function print({ figures, broken }: Report): void {
  console.log(JSON.stringify({ ...figures, broken }, null, 2));
  if (broken.length > 0) process.exitCode = 1;
}

/** Plays scenarios one after the other, all of them if none is named, and prints their reports. */
export async function playAll(
  scenarios: Readonly<Record<string, (say: Say) => Promise<Report>>>,
  names: readonly string[],
): Promise<void> {
  for (const name of names.length > 0 ? names : Object.keys(scenarios)) {
    say(name);
    const { figures, broken } = await scenarios[name]!(say);
    print({ figures: { scenario: name, ...figures }, broken });
  }
}
