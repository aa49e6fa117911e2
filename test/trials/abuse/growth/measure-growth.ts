/** Something that reads what strangers or customers send, and one of its worst shapes. */
export interface Reading {
  /** What reads: `forms`. */
  reader: string;
  /** What it is given: `one name again and again`. */
  shape: string;
  /** The largest input that gets as far as this reader, in units of the shape's own. */
  most: number;
  /** Makes an input of that size, and yields what reads it once. */
  prepare(size: number): () => unknown;
}

/** What a reading of a quarter of the most costs, and one of the most. */
export interface Growth {
  quarterUs: number;
  fullUs: number;
  /** How many times more the second is; times below the floor count as the floor. */
  times: number;
}

/** How long one side of a round works, and how many rounds have a say. */
export interface Effort {
  workMs: number;
  rounds: number;
}

/** Four times the input may cost eight times as much: the rest is noise, and what sorting takes. What grows by the square costs sixteen. */
export const MAX_TIMES = 8;

// Less than this is nothing, whatever it grows by: the first look at an input, a refusal.
const FLOOR_US = 20;
const ATTEMPTS = 6;

/** Measures the CPU of a reading. One that seems to grow too much is measured again, each time for longer, so that only what always does counts. */
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
  // The first times are those of the compiler.
  for (const read of [quarter, full]) costUs(read, 5 * workMs);
  const costs = Array.from({ length: rounds }, () => [costUs(quarter, workMs), costUs(full, workMs)] as const);
  const quarterUs = median(costs.map(([cost]) => cost));
  const fullUs = median(costs.map(([, cost]) => cost));
  return { quarterUs, fullUs, times: Math.max(fullUs, FLOOR_US) / Math.max(quarterUs, FLOOR_US) };
}

/** The CPU time of one reading, as the mean of as many as that much work takes, at least one. */
function costUs(read: () => unknown, workMs: number): number {
  const before = process.cpuUsage();
  let count = 0;
  let spent = 0;
  while (spent < workMs * 1_000) {
    // To ask for the time costs about a microsecond: too much to ask after each of many quick ones.
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
