import { percentile } from "../kit/statistics.js";
import { MOST } from "./attacks/attack.js";
import type { Experience } from "./victim.js";

/** The promises that a play broke, as sentences. */
export interface Broken {
  /** Response times, errors and events. A disk that stalls for 300 ms, or other load on the machine, may break these once. */
  service: string[];
  /** Memory, which does not depend on the speed of the machine. */
  memory: string[];
}

/** An attack that breaks a promise of service does so in most of these. */
const PLAYS = 3;

/** Beside an attack, 99 of 100 requests may take at most twice as long as alone, or this many milliseconds longer. */
const SLOWER = { times: 2, ms: 20 };

/** Judges an attack by its plays so far. Undefined if it has to be played again. */
export function verdictOn(plays: readonly Broken[]): "kept" | "broken" | undefined {
  const broken = plays.filter(({ service }) => service.length > 0).length;
  if (broken > PLAYS / 2 || plays.some(({ memory }) => memory.length > 0)) return "broken";
  // Only failures need repetition to rule out chance, and most attacks pass.
  return broken === 0 || plays.length - broken > PLAYS / 2 ? "kept" : undefined;
}

/** The promises of service that were broken beside an attack with these counters. */
export function brokenService(
  alone: Experience,
  beside: Experience,
  attacker: Readonly<Record<string, number>>,
  slower = SLOWER,
): string[] {
  const p99 = percentile(beside.latencies, 0.99);
  const p99Alone = percentile(alone.latencies, 0.99);
  const allowed = Math.max(slower.times * p99Alone, p99Alone + slower.ms);
  const broken = Object.entries(beside.errors).map(([error, count]) => `${count} × ${error}`);
  if (p99 > allowed) broken.push(`p99 is ${p99.toFixed(1)} ms, above ${allowed.toFixed(1)}`);
  if (beside.missingEvents > 0) broken.push(`${beside.missingEvents} events are missing`);
  for (const [what, most] of Object.entries(MOST))
    if ((attacker[what] ?? 0) > most) broken.push(`${attacker[what]} ${what}, above ${most}`);
  return broken;
}

/** Megabytes of each process. */
type Megabytes = Readonly<Record<string, number>>;

/** The promises of memory that were broken: the limit of each part, and what an attack may add to a gateway, a portal or an MCP server. */
export function brokenMemory(
  { before, peaks }: { before: Megabytes; peaks: Megabytes },
  limits: Megabytes,
  mostMore = Number.POSITIVE_INFINITY,
): string[] {
  return Object.entries(peaks).flatMap(([name, mb]) => {
    const limit = limits[partOf(name)];
    const more = mb - (before[name] ?? Number.NaN);
    const broken: string[] = [];
    if (limit !== undefined && mb > limit) broken.push(`${name} had ${Math.round(mb)} MB, above its limit of ${limit}`);
    if (/^(gateway|portal|mcp)$/.test(partOf(name)) && more > mostMore)
      broken.push(`${name} had ${Math.round(more)} MB more than before, above ${mostMore}`);
    return broken;
  });
}

/** The part that a process is a replica of. */
export const partOf = (name: string) => name.replace(/-\d+$/, "");
