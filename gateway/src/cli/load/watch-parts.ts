import { setTimeout as sleep } from "node:timers/promises";
import { describeError } from "../platform/finding.js";

/** What a part used of something that it has a limited amount of: 1 is all of it. */
export interface Use {
  what: string;
  share: number;
}

/** What parts used while a load ran. */
export interface Watched {
  uses: Use[];
  /** Metrics that could not be read, and why. */
  unseen: string[];
}

/** Samples of one reading by series and part, such as `database_pool_in_use records`. */
type Samples = ReadonlyMap<string, number>;

interface Reading {
  at: number;
  samples: Samples;
}

// The parts keep a reading of a gauge for five seconds.
const EVERY_MS = 5_000;
const READ_MS = 4_000;
// `npm start` runs all parts in one process, whose CPU has a label of its own.
const GAUGES = [
  ["database connections", "database_pool_in_use", "database_pool_max"],
  ["work in progress", "gateway_work_under_way", "gateway_work_under_way_max"],
  ["connections of clients", "gateway_connections", "gateway_connections_max"],
] as const;

/** Reads the metrics of processes until `over`, and says what they used most. */
export async function watchParts(urls: readonly string[], over: Promise<unknown>): Promise<Watched> {
  let running = true;
  const ended = over.catch(() => {}).then(() => (running = false));
  const readings = urls.map((): Reading[] => []);
  const unseen = new Map<string, string>();
  const readAll = () =>
    Promise.all(
      urls.map(async (url, index) => {
        try {
          readings[index]?.push({ at: performance.now(), samples: await readSamples(url) });
        } catch (error) {
          unseen.set(url, describeError(error));
        }
      }),
    );
  while (running) {
    await readAll();
    await Promise.race([ended, sleep(EVERY_MS, undefined, { ref: false })]);
  }
  await readAll();
  const uses = urls.flatMap((url, index) => {
    const taken = readings[index]!;
    if (listStarts(taken).size <= 1) return usesIn(taken);
    unseen.set(url, "several processes answer at this address, or it was restarted: name each of them");
    return [];
  });
  return {
    uses,
    unseen: [...unseen].map(([url, reason]) => `${url} (${reason})`),
  };
}

async function readSamples(url: string): Promise<Samples> {
  const response = await fetch(url, { signal: AbortSignal.timeout(READ_MS) });
  const text = await response.text();
  const lines = [...text.matchAll(/^(\w+)\{part="([\w -]+)"\} (\S+)$/gm)];
  if (!response.ok || lines.length === 0) throw new Error(`${response.status} without metrics of a part`);
  return new Map(lines.map(([, name, part, value]) => [`${name} ${part}`, Number(value)]));
}

const listParts = (samples: Samples, name: string) =>
  [...samples.keys()].filter((key) => key.startsWith(`${name} `)).map((key) => key.slice(name.length + 1));

const listStarts = (readings: readonly Reading[]) =>
  new Set(readings.flatMap(({ samples }) => listParts(samples, START).map((part) => samples.get(`${START} ${part}`))));

const START = "process_start_time_seconds";
const CPU = "process_cpu_seconds_total";

function usesIn(readings: readonly Reading[]): Use[] {
  const [first, last] = [readings[0], readings.at(-1)];
  if (!first || !last) return [];
  const cpu = listParts(last.samples, CPU).map((part) => {
    const seconds = (last.samples.get(`${CPU} ${part}`) ?? 0) - (first.samples.get(`${CPU} ${part}`) ?? 0);
    return { what: `one core by ${part}`, share: (1000 * seconds) / (last.at - first.at) };
  });
  const gauges = GAUGES.flatMap(([what, used, limit]) =>
    listParts(last.samples, limit).map((part) => {
      const shares = readings.map(
        ({ samples }) => (samples.get(`${used} ${part}`) ?? 0) / (samples.get(`${limit} ${part}`) ?? 1),
      );
      return { what: `${what} of ${part}`, share: Math.max(...shares) };
    }),
  );
  return [...cpu, ...gauges];
}
