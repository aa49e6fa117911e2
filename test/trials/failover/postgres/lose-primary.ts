import { setTimeout as sleep } from "node:timers/promises";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Report, Say } from "../../kit/report.js";
import { startLoad } from "../load.js";
import { verdict } from "../verdict.js";
import { type PostgresPair, startPair } from "./pair.js";

/** Duration of each stage. The promotion comes after the time that an operator needs to be sure of the loss. */
const STAGES = { beforeMs: 5_000, downMs: 4_000, afterMs: 15_000 };
// A write gets its response within ten seconds of its last byte.
const DEADLINE_MS = 10_500;
const RECOVERY_MS = 10_000;

/** The primary is killed and its data is gone. */
export const lostPrimary = (say: Say, flags?: readonly string[], stages = STAGES): Promise<Report> =>
  failover(say, (pair) => pair.losePrimary(), flags, stages);

/** The primary's machine is gone, so its connections stay open. */
export const silentPrimary = (say: Say): Promise<Report> => failover(say, (pair) => pair.haltPrimary());

/** The primary is demoted, and continues to respond on open connections. */
export const demotedPrimary = (say: Say): Promise<Report> => failover(say, (pair) => pair.demotePrimary());

/** Loses the primary under load, promotes its synchronous standby, and moves the host name to it. */
async function failover(
  say: Say,
  fault: (pair: PostgresPair) => unknown,
  flags: readonly string[] = [],
  stages = STAGES,
): Promise<Report> {
  const pair = await startPair("sync", flags);
  const { cluster } = pair;
  try {
    const before = await partPids(cluster);
    const load = await startLoad(cluster, { clients: 8 });
    await sleep(stages.beforeMs);
    say(`${load.acknowledged()} writes acknowledged; the primary goes`);
    await fault(pair);
    await sleep(stages.downMs);
    const promotedMs = await pair.failOver();
    say("the standby is promoted and has the address");
    await sleep(stages.afterMs);
    const [firstSuccessMs, lastFailureMs] = [
      load.attempts.firstSuccessAfter(promotedMs),
      load.attempts.lastFailureAfter(promotedMs),
    ];
    const { max: longest } = load.attempts.seen().milliseconds;
    return await verdict(say, cluster, load, {
      figures: { ...stages, firstSuccessMs, lastFailureMs },
      promises: [
        [(firstSuccessMs ?? RECOVERY_MS) < RECOVERY_MS, "No write succeeded within 10 s of the promotion."],
        [lastFailureMs < RECOVERY_MS, "Writes still failed 10 s after the promotion."],
        [longest < DEADLINE_MS, "A request took longer than its deadline."],
        [before === (await partPids(cluster)), "A process was restarted."],
      ],
    });
  } finally {
    await pair.stop();
  }
}

/** The synchronous standby hangs: commits wait for it, reads do not, and everything continues when it is back. */
export async function hangingStandby(
  say: Say,
  stages = { beforeMs: 5_000, downMs: 20_000, afterMs: 10_000 },
): Promise<Report> {
  const pair = await startPair("sync");
  const { cluster } = pair;
  try {
    const load = await startLoad(cluster, { clients: 8 });
    await sleep(stages.beforeMs);
    say(`${load.acknowledged()} writes acknowledged; the standby hangs`);
    let connections = 0;
    await pair.withoutStandby(async () => {
      await sleep(stages.downMs);
      const rows = await pair.query<{ count: string }>(
        "postgres-1",
        "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'",
      );
      connections = Number(rows[0]?.count);
    });
    const backMs = performance.now();
    say("the standby is back");
    await sleep(stages.afterMs);
    const firstSuccessMs = load.attempts.firstSuccessAfter(backMs);
    const { max: longest } = load.attempts.seen().milliseconds;
    return await verdict(say, cluster, load, {
      figures: { ...stages, connections, firstSuccessMs, lastFailureMs: load.attempts.lastFailureAfter(backMs) },
      promises: [
        [(firstSuccessMs ?? RECOVERY_MS) < RECOVERY_MS, "No write succeeded within 10 s of the standby's return."],
        [longest < DEADLINE_MS, "A request took longer than its deadline."],
      ],
    });
  } finally {
    await pair.stop();
  }
}

async function partPids(cluster: ClusterUnderTest): Promise<string> {
  const { processes } = await cluster.now();
  return processes
    .filter(({ name }) => !/^(postgres|nats)/.test(name))
    .map(({ name, pid }) => `${name} ${pid}`)
    .join();
}
