import { type Anomaly, codeIn, type Disturbance, type History, lineAbout, type Operation } from "./operation.js";

const WINDOW_MS = 60_000;
/** The window counts whole seconds, so it may refuse for one more. */
const REFUSES_MS = 61_000;
/** Only a crash of the gateway's database may lose the last second. */
const FORGETS_MS = 1_000;

/** The requests that certainly counted: their responses came after the limit check, and the service was available. */
function isCounted({ status }: Operation): boolean {
  return status > 0 && status < 500 && status !== 401 && status !== 429;
}

/**
 * The anomalies of a limit per API key: more than `limit` requests admitted in 60 s, or one refused although fewer had been admitted in the last
 * 61 s. The counts are meaningless while the clock of the gateway's database is wrong. `sinceMs` is when the history began, if the keys are older.
 */
export function wrongLimits(
  { operations, disturbances }: History,
  limit: number,
  sinceMs = Number.NEGATIVE_INFINITY,
): Anomaly[] {
  if (disturbances.some(({ name }) => name === "clocks")) return [];
  const crashes = disturbances.filter(({ name }) => name === "crash");
  const byKey = new Map<string, Operation[]>();
  for (const operation of operations) {
    const some = byKey.get(operation.apiKey);
    if (some) some.push(operation);
    else byKey.set(operation.apiKey, [operation]);
  }
  return [...byKey].flatMap(([apiKey, all]) => [
    ...tooManyOf(apiKey, all.filter(isCounted), limit, crashes),
    ...refusedEarly(apiKey, all, limit, sinceMs),
  ]);
}

/** Admission happens between start and end: a window has too many if that many lie within it entirely. */
function tooManyOf(apiKey: string, counted: Operation[], limit: number, crashes: readonly Disturbance[]): Anomaly[] {
  if (counted.length <= limit) return [];
  const starts = [...counted].sort((a, b) => a.startMs - b.startMs);
  for (const [at, { startMs }] of starts.entries()) {
    const toMs = startMs + WINDOW_MS;
    const within = starts.slice(at).filter(({ endMs }) => endMs <= toMs);
    const forgotten = within.filter((one) =>
      crashes.some(({ fromMs, toMs: overMs }) => one.endMs > fromMs - FORGETS_MS && one.startMs < overMs),
    );
    if (within.length - forgotten.length <= limit) continue;
    const rule = `More than ${limit} requests were admitted within 60 s.`;
    const seen = [`${within.length} requests, from`, lineAbout(within[0]!), "to", lineAbout(within.at(-1)!)];
    return [{ rule, subject: apiKey, seen }];
  }
  return [];
}

/** An error 429 needs as many requests that may have been admitted in the 61 s before it. */
function refusedEarly(apiKey: string, all: readonly Operation[], limit: number, sinceMs: number): Anomaly[] {
  const refused = all.filter((operation) => operation.status === 429 && codeIn(operation) === "rate_limited");
  const early = refused.find(({ startMs, endMs }) => {
    if (startMs - REFUSES_MS < sinceMs) return false;
    const may = all.filter((one) => one.status !== 429 && one.startMs < endMs && one.endMs > startMs - REFUSES_MS);
    return may.length < limit;
  });
  if (!early) return [];
  const rule = `A request was refused although fewer than ${limit} had been admitted within 61 s.`;
  return [{ rule, subject: apiKey, seen: [lineAbout(early)] }];
}
