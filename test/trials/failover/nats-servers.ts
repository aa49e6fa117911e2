import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { eventually } from "@shipping/kit/testing/eventually";
import type { ClusterUnderTest } from "../../platform/cluster.js";

const STREAM = "EVENTS";
const CONSUMER = "webhooks";
const SETTLE_MS = 60_000;

/** The NATS servers of a cluster under test, and their faults. */
export async function natsServersOf(cluster: ClusterUnderTest) {
  const { url, passwords } = JSON.parse(await readFile(join(cluster.dataDir, "nats.json"), "utf8"));
  const nc = await connect({
    servers: url.split(","),
    user: "operator",
    pass: passwords.operator,
    maxReconnectAttempts: -1,
  });
  const manager = await jetstreamManager(nc, { checkAPI: false });

  async function requireCopies() {
    const stream = await manager.streams.info(STREAM);
    const consumer = await manager.consumers.info(STREAM, CONSUMER);
    for (const { cluster: copies } of [stream, consumer]) {
      const complete = copies?.replicas?.filter(({ current }) => current).length;
      if (!copies?.leader || complete !== 2) throw new Error(`Not every server has a copy: ${JSON.stringify(copies)}`);
    }
    return { stream: stream.cluster?.leader ?? "" };
  }

  /** Ends servers as `kill -9` does, and keeps them from starting until the returned function is called; `wiped` ones start without their data. */
  async function takeDown(names: readonly string[], { wiped } = { wiped: false }) {
    const folders = names.map((name) => join(cluster.dataDir, name));
    await Promise.all(names.map((name) => cluster.kill(name)));
    for (const folder of folders) {
      await rename(folder, `${folder}.kept`);
      // A file in place of its folder makes a server exit at each start.
      await writeFile(folder, "");
      if (wiped) await rm(`${folder}.kept`, { recursive: true });
    }
    return async () => {
      for (const folder of folders) {
        await rm(folder);
        if (!wiped) await rename(`${folder}.kept`, folder);
      }
    };
  }

  return {
    /** Resolves with the leader of the stream once all three servers have a complete copy of it and of its consumer. */
    settled: () => eventually(requireCopies, { withinMs: SETTLE_MS }),
    takeDown,
    close: () => nc.close(),
  };
}
