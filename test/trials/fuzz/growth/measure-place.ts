import { cpuMs } from "./measure-cpu.js";

/** The sizes of hostile texts, each eight times the one before. */
export const SIZES = [1024, 8 * 1024, 64 * 1024] as const;
/** Maximum cost of a text beyond the same request with a text of one character. */
const MOST_MS = 5;
// A smaller cost is noise, or the cost of receiving the text.
const FLOOR_MS = 2.5;
// Eight times the text may cost eight times as much, with a tolerance for noise. Quadratic growth costs 64 times as much.
const MAX_TIMES = 16;

/** The faults in the costs of texts of each size, beyond those of one character. */
function faultOf(costs: readonly number[]): string | undefined {
  const shown = costs.map((ms) => ms.toFixed(1)).join(", ");
  if (costs.some((ms) => ms > MOST_MS)) return `costs more than ${MOST_MS} ms of CPU: ${shown}`;
  return costs.some((ms, n) => n > 0 && isFaster(costs[n - 1] ?? 0, ms))
    ? `grows faster than its length: ${shown} ms of CPU`
    : undefined;
}

/** Whether the cost of a text of eight times the length shows more than linear growth. */
function isFaster(ms: number, eightfoldMs: number): boolean {
  return eightfoldMs > FLOOR_MS && eightfoldMs > MAX_TIMES * Math.max(ms, FLOOR_MS / MAX_TIMES);
}

/** Gives a reader texts of each size, and yields the faults in their costs beyond a text of one character. */
export async function measurePlace(
  prepare: (size: number) => () => unknown,
  baseMs: number,
): Promise<string | undefined> {
  const costs: number[] = [];
  for (const size of SIZES) costs.push((await cpuMs(prepare(size), baseMs + FLOOR_MS)) - baseMs);
  return faultOf(costs);
}

/** Whether the cost of reading grows faster than the text, up to `most` characters. A suspicious one is measured twice again, more often. */
export async function growsFaster(prepare: (size: number) => () => unknown, most: number): Promise<boolean> {
  for (const times of [2, 15, 60]) {
    const wholeMs = await cpuMs(prepare(most), FLOOR_MS, times);
    if (wholeMs <= FLOOR_MS || !isFaster(await cpuMs(prepare(most / 8), 0, times), wholeMs)) return false;
  }
  return true;
}

/** A reader's cost with a text of one character. The first times include compilation. */
export async function measureBase(read: () => unknown): Promise<number> {
  await cpuMs(read, 0, 5);
  return cpuMs(read, 0, 10);
}
