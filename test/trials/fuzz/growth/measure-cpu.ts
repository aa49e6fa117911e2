/** The unit of CPU times: that of a core on which the yardstick takes this long. */
const YARDSTICK_MS = 10;
const TOO_LONG_MS = 500;
let leastYardstickMs = Number.POSITIVE_INFINITY;

/** The CPU time of this process during a piece of work, in milliseconds. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Adds and multiplies ten million times, without global names, which are slow to look up in Jest. */
function yardstick(): number {
  let sum = 0;
  for (let n = 0; n < 10_000_000; n++) sum = (sum * 31 + n) | 0;
  return sum;
}

/**
 * The CPU time of a piece of work, in milliseconds of a core on which the yardstick takes 10: other load on the machine makes the work more
 * expensive, and the yardstick, too. The cheapest run of each counts. The work runs `times` times, or less often if one run is below `enoughMs`,
 * or if the runs take too long for chance to be the reason.
 */
export async function cpuMs(work: () => unknown, enoughMs: number, times = 15): Promise<number> {
  if (leastYardstickMs === Number.POSITIVE_INFINITY) for (let n = 0; n < 5; n++) await measureYardstick();
  let leastMs = Number.POSITIVE_INFINITY;
  let spentMs = 0;
  for (let n = 0; n < times && leastMs >= enoughMs && (n < 3 || spentMs < TOO_LONG_MS); n++) {
    if (n % 5 === 4) await measureYardstick();
    const ms = await cpuOf(work);
    spentMs += ms;
    leastMs = Math.min(leastMs, (ms * YARDSTICK_MS) / leastYardstickMs);
  }
  return leastMs;
}

async function measureYardstick(): Promise<void> {
  leastYardstickMs = Math.min(leastYardstickMs, await cpuOf(yardstick));
}
