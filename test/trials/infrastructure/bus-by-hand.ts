import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConsumerConfig, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { eventually } from "@shipping/kit/testing/eventually";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { startedWith } from "./another-process.js";

const CALM_MS = 3_000;
const STREAM = "EVENTS";
const DURABLE = "webhooks";
const CONSUMERS: Record<string, Partial<ConsumerConfig>> = {
  "a consumer with a filter": { ack_policy: "explicit", filter_subject: "events.live.>" },
  "a consumer with another ack policy": { ack_policy: "none" },
  "a consumer that pushes": { ack_policy: "explicit", deliver_subject: "pushed" },
  "a consumer without bodies": { ack_policy: "explicit", headers_only: true },
};
const LIMITS = { max_msgs: 2, max_msgs_per_subject: 1, max_msg_size: 10 };

/**
 * Makes the consumer and the stream again by hand, as the user `operator` of the chart's `nats.conf`, or limits them, while the workload runs. Each
 * time, webhooks has to set them right, or to name in its log what is wrong, and no event may be lost.
 */
export const busByHandRow = (say: Say): Promise<Report> =>
  withFolder(async (_folder, ends) => {
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000", LOG_LEVEL: "info" });
    ends.push(() => cluster.stop());
    const { streams, consumers, close } = await operator(cluster);
    ends.push(close);
    const load = await startLoad(cluster, { clients: 4 });
    const consumerConfig = async () => (await consumers.info(STREAM, DURABLE)).config;
    const streamConfig = async () => (await streams.info(STREAM)).config;
    const wanted = { consumer: await consumerConfig(), stream: await streamConfig() };
    const rightAfterMs: Record<string, number> = {};
    const said: Record<string, string[]> = {};
    const change = async (name: string, by: () => Promise<unknown>) => {
      await sleep(CALM_MS);
      const [before, sinceMs] = [await textOf(cluster), performance.now()];
      await by();
      const right = async () => {
        const [consumer, stream] = [await consumerConfig(), await streamConfig()];
        said[name] = linesIn((await textOf(cluster)).slice(before.length));
        const differ = [...differing(wanted.consumer, consumer), ...differing(wanted.stream, stream)];
        if (differ.length > 0) throw new Error(`${differ} are not right yet`);
        if (said[name].length === 0) throw new Error("the log does not say so yet");
      };
      const failure = await eventually(right, { withinMs: 60_000 }).then(() => undefined, String);
      rightAfterMs[name] = failure ? -1 : Math.round(performance.now() - sinceMs);
      said[name] = linesIn((await textOf(cluster)).slice(before.length));
      say(
        `${name}: ${failure ?? `right again after ${rightAfterMs[name]} ms`}; ${said[name].join(" · ") || "no line"}`,
      );
    };
    // NATS does not deliver what such a filter has skipped, also once it is gone: the outboxes publish it again two minutes later.
    await change("a filter on the consumer in use", () =>
      consumers.update(STREAM, DURABLE, { filter_subject: "events.live.order.>" }),
    );
    // webhooks may have made it again in between.
    const remake = async (config: Partial<ConsumerConfig>) => {
      await consumers.delete(STREAM, DURABLE);
      await consumers.add(STREAM, { durable_name: DURABLE, ...config });
    };
    for (const [name, config] of Object.entries(CONSUMERS)) await change(name, () => eventually(() => remake(config)));
    await change("limits of the stream", () => streams.update(STREAM, LIMITS));
    await change("a stream made again with limits", async () => {
      await streams.delete(STREAM);
      await streams
        .add({ name: STREAM, subjects: ["events.>"], ...LIMITS, max_msgs: 3 })
        .catch((error) => say(String(error)));
    });
    await sleep(CALM_MS);
    return verdict(say, cluster, load, {
      figures: { rightAfterMs, said },
      promises: Object.entries(rightAfterMs).map(([name, ms]) => [
        ms >= 0,
        `${name} was not set right and named in the log within a minute.`,
      ]),
    });
  });

/** Reads the settings that webhooks makes, without the stream's mark, which changes all the time. */
function differing(wanted: object, found: object): string[] {
  const settable = ({ metadata: _, ...rest }: Record<string, unknown>) => rest;
  const [one, other] = [settable({ ...wanted }), settable({ ...found })];
  return Object.keys({ ...one, ...other }).filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]));
}

/** The functions for streams of the user `operator`, whose password the server has in its environment. */
async function operator(cluster: ClusterUnderTest) {
  const { processes } = await cluster.now();
  const { pid, address } = processes.find(({ name }) => name.startsWith("nats"))!;
  const { env } = await startedWith(pid);
  const pass = JSON.parse(env.NATS_PASSWORD_OPERATOR ?? "");
  const nc = await connect({ servers: address, user: "operator", pass });
  return { ...(await jetstreamManager(nc)), close: () => nc.close() };
}

const textOf = ({ dataDir }: ClusterUnderTest) => readFile(join(dataDir, "logs/webhooks-1.log"), "utf8");

/** The messages about the stream and the consumer. */
function linesIn(text: string): string[] {
  const lines = text
    .split("\n")
    .filter((line) => /consumer|stream|no events/.test(line) && !line.includes('"attempt"'));
  return lines.map((line) => {
    const { msg, reason } = JSON.parse(line);
    return reason ? `${msg}: ${reason}` : msg;
  });
}
