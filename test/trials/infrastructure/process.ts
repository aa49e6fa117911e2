import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { newPorts, startAnother } from "./another-process.js";

const LOAD_MS = 10_000;
const SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGHUP"] as const;

/**
 * Runs the workload through a gateway whose output is not read, that may open few files and has more connections, while every part gets signals.
 */
export const processRow = (say: Say): Promise<Report> =>
  withFolder(async (_folder, ends) => {
    const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000" });
    ends.push(() => cluster.stop());
    const gateway = await startDeafGateway(cluster);
    ends.push(() => gateway.kill());
    const load = await startLoad({ ...cluster, gateways: [`${gateway.url}/api/v1`] }, { clients: 4 });
    await sleep(LOAD_MS / 2);
    const before = load.acknowledged();
    const sockets = Array.from({ length: 400 }, () =>
      connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {}),
    );
    const { processes } = await cluster.now();
    const pids = processes.filter(({ name }) => !/^(postgres|nats)/.test(name)).map(({ pid }) => pid);
    for (const signal of SIGNALS) for (const pid of [...pids, gateway.child.pid!]) process.kill(pid, signal);
    await sleep(LOAD_MS / 2);
    const probe = await fetch(`${gateway.opsUrl}/livez`).then(
      ({ status }) => status,
      (error) => String(error),
    );
    for (const socket of sockets) socket.destroy();
    const after = (await cluster.now()).processes.filter(({ name }) => !/^(postgres|nats)/.test(name));
    return verdict(say, cluster, load, {
      figures: { probe, writesWithFewFiles: load.acknowledged() - before },
      promises: [
        [probe === 200, "The probe of a process with few file descriptors failed."],
        [load.acknowledged() - before > before / 4, "The gateway stood still."],
        [after.every(({ pid }) => pids.includes(pid)), "A signal ended a part."],
      ],
    });
  });

/** A second gateway with the environment of the first. 64 KiB of its log fit into its pipe. */
async function startDeafGateway(cluster: ClusterUnderTest) {
  const gateway = await startAnother(cluster, "gateway-1", {
    ports: await newPorts(),
    adapt: (env) => ({ ...env, LOG_LEVEL: "info" }),
    run: (command) => ["sh", "-c", 'ulimit -n 300; exec "$0" "$@"', ...command],
    stdio: ["ignore", "pipe", "ignore"],
  });
  await gateway.ready();
  return gateway;
}
