/** A reader of input from strangers or customers, with one of its worst shapes. */
export interface Reading {
  /** The reader: `forms`. */
  reader: string;
  /** The shape of its input: `one name again and again`. */
  shape: string;
  /** The maximum size of input that reaches this reader, in units of the shape. */
  most: number;
  /** Makes an input of that size, and yields a function that reads it once. */
  prepare(size: number): () => unknown;
}

/** The cost of reading a quarter of the maximum, and the maximum. */
export interface Growth {
  quarterUs: number;
  fullUs: number;
  /** The ratio of the second to the first; times below the floor count as the floor. */
  times: number;
}

/** How long one side of a round works, and how many rounds count. */
export interface Effort {
  workMs: number;
  rounds: number;
}

/** Four times the input may cost eight times as much, which allows for noise and for sorting. Quadratic growth costs sixteen times as much. */
export const MAX_TIMES = 8;

// A smaller cost never counts as growth: the first look at an input, an error.
const FLOOR_US = 20;
const ATTEMPTS = 6;

/** Measures the CPU time of a reading. A suspicious one is measured again, each time for longer, so that only constant growth counts. */
export function measureGrowth(reading: Reading, effort: Effort): Growth {
  let least = measureOnce(reading, effort);
  for (let attempt = 1; attempt < ATTEMPTS && least.times > MAX_TIMES; attempt++) {
    const again = measureOnce(reading, { ...effort, workMs: effort.workMs * (attempt + 1) });
    if (again.times < least.times) least = again;
  }
  return least;
}

function measureOnce({ most, prepare }: Reading, { workMs, rounds }: Effort): Growth {
  const quarter = prepare(Math.ceil(most / 4));
  const full = prepare(most);
  // The first times include compilation.
  for (const read of [quarter, full]) costUs(read, 5 * workMs);
  const costs = Array.from({ length: rounds }, () => [costUs(quarter, workMs), costUs(full, workMs)] as const);
  const quarterUs = median(costs.map(([cost]) => cost));
  const fullUs = median(costs.map(([, cost]) => cost));
  return { quarterUs, fullUs, times: Math.max(fullUs, FLOOR_US) / Math.max(quarterUs, FLOOR_US) };
}

/** The CPU time of one reading, as the mean of as many as fit into that much work, at least one. */
function costUs(read: () => unknown, workMs: number): number {
  const before = process.cpuUsage();
  let count = 0;
  let spent = 0;
  while (spent < workMs * 1_000) {
    // Reading the time costs about a microsecond, which is too much after each of many fast readings.
    const times = count > 0 && spent / count < FLOOR_US ? 8 : 1;
    for (let n = 0; n < times; n++) read();
    count += times;
    const { user, system } = process.cpuUsage(before);
    spent = user + system;
  }
  return spent / count;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
