import { ABORTED } from "@shipping/api/request-status";
import type { Caller } from "@shipping/kit/caller";
import { isRefusal } from "@shipping/kit/postgres/outage";
import { startLoop } from "@shipping/kit/process/loop";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { GatewayDeps } from "../database/deps.js";
import { createRefusalFolds } from "./fold-refusals.js";
import { type EndedRequest, getOutcome, type LogRow, toLogRow } from "./logged-request.js";
import { type Count, isAnyLogged, keepPartitions, keepPartitionsOnce, writeRequests } from "./write-requests.js";

export interface RequestLog {
  /** Counts a successful read, which is not listed. */
  countRead(caller: Caller): void;
  /** Logs a request that has ended. Never waits and never fails. */
  log(ended: EndedRequest): void;
  stop(): Promise<void>;
}

type Deps = Pick<GatewayDeps, "db" | "log" | "clockOffsetMs"> & {
  metrics: Metrics;
  /** The number of days to keep requests. 0 disables the log. */
  requestLogDays: number;
};

const EVERY_MS = 1_000;
/** The most rows of a statement. */
const MAX_ROWS = 1_000;
/** How many rows can wait while the database is not reachable; a row takes about 1 KB. */
const MAX_WAITING = 20_000;
/** Counts are written less often than rows. They add up in memory, which saves writes. */
const COUNTS_EVERY_MS = 10_000;

const LOST = ["buffer_full", "refused_by_database"] as const;

/** Starts the request log. With 0 days it logs nothing and drops existing rows as they age. */
export function startRequestLog(deps: Deps): RequestLog {
  const keeping = keepPartitions(deps);
  if (deps.requestLogDays === 0) return { countRead() {}, log() {}, stop: () => keeping.stop() };

  const folds = createRefusalFolds(() => performance.now());
  const waiting: LogRow[] = [];
  let counts = new Map<string, Count>();
  let countsSince = performance.now();
  /** Rows and counts that may have been written, because the connection was lost before the response. */
  let uncertain: { rows: readonly LogRow[]; counted: readonly Count[] } = { rows: [], counted: [] };
  const lose = deps.metrics.counterBy("request_log_lost_total", "Requests missing from the request log.", {
    by: "reason",
    values: LOST,
  });
  deps.metrics.gauges({ request_log_waiting: "Requests waiting to be written to the request log." }, () => ({
    request_log_waiting: waiting.length,
  }));

  function list(row: LogRow): void {
    if (waiting.length < MAX_WAITING) waiting.push(row);
    else lose("buffer_full");
    if (waiting.length === MAX_ROWS) writing.wake();
  }

  function count({ accountId, environment, outcome, count: n }: Count): void {
    const key = `${accountId} ${environment} ${outcome}`;
    const counted = counts.get(key);
    if (counted) counted.count += n;
    else counts.set(key, { accountId, environment, outcome, count: n });
  }

  async function writeWaiting(atEnd = false): Promise<void> {
    for (const row of folds.take(atEnd)) list(row);
    await resolveUncertain();
    do {
      const rows = waiting.slice(0, MAX_ROWS);
      const counted = takeCounts(atEnd);
      if (rows.length === 0 && counted.length === 0) return;
      uncertain = { rows, counted };
      await writeOrSplit(rows, counted);
      uncertain = { rows: [], counted: [] };
      waiting.splice(0, rows.length);
    } while (waiting.length >= (atEnd ? 1 : MAX_ROWS));
  }

  function takeCounts(atEnd: boolean): Count[] {
    if (!atEnd && performance.now() - countsSince < COUNTS_EVERY_MS) return [];
    const taken = [...counts.values()];
    counts = new Map();
    countsSince = performance.now();
    return taken;
  }

  /**
   * Settles the rows and counts of a statement whose connection was lost. The statement has written all of them (except for accounts being erased) or
   * none, so any row that is found shows that it was committed. A statement without rows cannot be checked: its counts are dropped, because counts
   * that are too low are better than requests counted twice.
   */
  async function resolveUncertain(): Promise<void> {
    const { rows, counted } = uncertain;
    if (rows.length > 0 && (await isAnyLogged(deps, rows))) waiting.splice(0, rows.length);
    else if (rows.length > 0) for (const each of counted) count(each);
    uncertain = { rows: [], counted: [] };
  }

  /** Writes rows. If PostgreSQL refuses them, it creates missing partitions (the clock may have jumped), then halves the batch to find the bad row. */
  async function writeOrSplit(rows: readonly LogRow[], counted: readonly Count[], isRetry = false): Promise<void> {
    try {
      await writeRequests(deps, rows, counted);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (!isRetry) {
        await keepPartitionsOnce(deps);
        return writeOrSplit(rows, counted, true);
      }
      if (rows.length <= 1) {
        deps.log.warn({ err: error }, "request not written to the request log");
        return lose("refused_by_database");
      }
      const half = Math.ceil(rows.length / 2);
      await writeOrSplit(rows.slice(0, half), counted, true);
      await writeOrSplit(rows.slice(half), [], true);
    }
  }

  const writing = startLoop({
    name: "write-requests",
    everyMs: EVERY_MS,
    log: deps.log,
    once: () =>
      writeWaiting().catch((err) =>
        deps.log.warn({ err, waiting: waiting.length }, "request log waiting for its database"),
      ),
  });

  return {
    countRead: (caller) => count({ ...caller, outcome: "read", count: 1 }),
    log(ended) {
      if (ended.caller) count({ ...ended.caller, outcome: getOutcome(ended), count: 1 });
      const row = toLogRow(ended, performance.now());
      if (row.code === undefined || row.code === ABORTED || folds.lists(row)) list(row);
    },
    async stop() {
      await Promise.all([keeping.stop(), writing.stop()]);
      await writeWaiting(true).catch((err) =>
        deps.log.warn({ err, lost: waiting.length }, "the request log is incomplete"),
      );
    },
  };
}
