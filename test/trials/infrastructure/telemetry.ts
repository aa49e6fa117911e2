import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { otlpCollector } from "@shipping/kit/testing/otlp-collector";
import { parts } from "@shipping/local/parts";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { openReceivers } from "../failover/deliveries-seen.js";
import { startLoad } from "../failover/load.js";
import { deliveriesVerdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { startedWith } from "./another-process.js";

const LOAD_MS = 6_000;
const ARRIVE_MS = 120_000;
const SWITCHES = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };
const ATTRIBUTES = { "deployment.environment.name": "trial", "k8s.cluster.name": "one, and=two" };

/** The levels of the log, from all lines to none about a request that succeeds. */
const LEVELS: Record<string, Record<string, string>> = {
  info: { LOG_LEVEL: "info" },
  "requests at warn": { LOG_LEVEL: "info", LOG_LEVEL_REQUESTS: "warn" },
  "requests and attempts at warn": { LOG_LEVEL: "info", LOG_LEVEL_REQUESTS: "warn", LOG_LEVEL_ATTEMPTS: "warn" },
};

/**
 * Runs the workload with a collector of traces, further attributes and the severities of Google Cloud, and counts lines and bytes of the log for each
 * request at several levels. Every span and metric has to say which process it comes from, and lines to which trace they belong.
 */
export const telemetryRow = (say: Say): Promise<Report> =>
  withFolder(async (_folder, ends) => {
    // The figures are counts, so the clusters may run beside each other.
    const atLevels = Promise.all(
      Object.entries(LEVELS).map(async ([name, levels]) => {
        const cluster = await startCluster(ONE_OF_EACH, { ...SWITCHES, ...levels });
        const { perRequest } = await loaded(say, cluster).finally(() => cluster.stop());
        say(`${name}: ${JSON.stringify(perRequest)}`);
        return [name, perRequest] as const;
      }),
    );
    const collector = await otlpCollector();
    ends.push(() => collector.stop());
    const cluster = await startCluster(ONE_OF_EACH, {
      ...SWITCHES,
      LOG_LEVEL: "info",
      LOG_LEVEL_FIELD: "severity",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: Object.entries(ATTRIBUTES)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join(","),
    });
    ends.push(() => cluster.stop());
    const { report, lines, ...traced } = await loaded(say, cluster);
    const perRequest = { ...Object.fromEntries(await atLevels), "info, with traces": traced.perRequest };
    const { spans } = collector;
    const nameless = spans.filter(({ resource }) => !isNamed(resource));
    const instances = new Set(spans.map(({ resource }) => resource["service.instance.id"]));
    const requests = lines.filter(({ msg }) => msg === "request" || msg === "rpc" || msg === "attempt");
    const known = new Set(spans.map(({ traceId }) => traceId));
    const untraced = requests.filter(({ trace_id }) => !known.has(String(trace_id)));
    const targets = await Promise.all(parts.map((part) => readTarget(cluster, part)));
    const [first] = untraced;
    return {
      figures: {
        ...report.figures,
        spans: spans.length,
        instances: instances.size,
        lines: requests.length,
        perRequest,
        first,
      },
      broken: [
        ...report.broken,
        ...(nameless.length > 0 ? [`${nameless.length} spans lack an attribute of their process.`] : []),
        ...(untraced.length > 0 ? [`${untraced.length} lines of requests have no trace that arrived.`] : []),
        ...(instances.size < new Set(spans.map(({ part }) => part)).size ? ["Processes share an instance ID."] : []),
        ...targets.filter((target) => !isTarget(target)).map((target) => `target_info lacks an attribute: ${target}`),
        ...(lines.every(({ severity, level }) => severity && !level) ? [] : ["A line has no severity."]),
      ],
    };
  });

type Line = Record<string, unknown>;

/** Runs the workload until all its events have arrived, and counts what the processes log meanwhile. */
async function loaded(say: Say, cluster: ClusterUnderTest) {
  const receivers = await openReceivers(cluster);
  const before = await readLogs(cluster);
  const load = await startLoad(cluster, { clients: 4, customers: receivers.customers });
  await sleep(LOAD_MS);
  const { acknowledged, reads } = await load.stop();
  await receivers.seen(acknowledged.filter(({ write }) => write.path !== "/rates").length, ARRIVE_MS);
  // The collector gets spans once a second.
  await sleep(2_000);
  const written = (await readLogs(cluster)).map((text, at) => text.slice(before[at]!.length));
  const requests = load.attempts.seen().requests + reads.right;
  const report = await deliveriesVerdict(say, { cluster, load, receivers, arriveWithinMs: ARRIVE_MS }, () => ({
    figures: { requests },
    promises: [],
  }));
  const lines = written.flatMap((text) => text.split("\n").filter(Boolean));
  const bytes = written.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const perRequest = { lines: Math.round((10 * lines.length) / requests) / 10, bytes: Math.round(bytes / requests) };
  return { report, perRequest, lines: lines.map((line) => JSON.parse(line) as Line) };
}

/** The logs of the parts' processes, which write JSON lines. */
async function readLogs({ dataDir }: ClusterUnderTest): Promise<string[]> {
  const files = (await readdir(join(dataDir, "logs"))).filter((file) => !/^(postgres|nats)/.test(file)).sort();
  return Promise.all(files.map((file) => readFile(join(dataDir, "logs", file), "utf8")));
}

async function readTarget(cluster: ClusterUnderTest, part: string): Promise<string> {
  const { env } = await startedWith((await cluster.process(`${part}-1`)).pid);
  const text = await (await fetch(`http://127.0.0.1:${env.OPS_PORT}/metrics`)).text();
  return /^target_info.*$/m.exec(text)?.[0] ?? `no target_info of ${part}`;
}

const isNamed = (resource: Record<string, string>) =>
  Boolean(resource["service.instance.id"]) &&
  Object.entries(ATTRIBUTES).every(([name, value]) => resource[name] === value);

const isTarget = (target: string) =>
  /service_instance_id="[^"]+"/.test(target) && target.includes('k8s_cluster_name="one, and=two"');
