import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator } from "@nats-io/transport-node";
import { DEFAULT_NAMES } from "@shipping/kit/events/bus-names";
import { eventually } from "@shipping/kit/testing/eventually";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import { startNatsServer } from "@shipping/local/servers/nats-server";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { natsAccount } from "../../platform/nats-account.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";

const LOAD_MS = 10_000;
const { stream: STREAM } = DEFAULT_NAMES;
const LIMITS = { max_bytes_required: true, disk_max_stream_bytes: 100_000_000, max_ack_pending: 1_000 };
const FITTING = {
  NATS_STREAM_MAX_BYTES: "100000000",
  NATS_DUPLICATE_WINDOW_SECONDS: "60",
  NATS_MAX_ACK_PENDING: "1000",
};

/**
 * Runs the workload in an account with limits, as a provider or `nsc` makes it: first without the settings for them, then with. Under load, its
 * consumer is paused, and then deleted.
 */
export const natsAccountRow = (say: Say): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const account = natsAccount(LIMITS);
    const [configFile, credentials] = [join(folder, "nats.conf"), join(folder, "parts.creds")];
    await writeFile(configFile, `${account.config}\njetstream: { limits: { duplicate_window: "60s" } }`);
    await writeFile(credentials, account.credentials());
    await chmod(credentials, 0o600);
    const program = await findNatsServer({ env: process.env, say });
    const server = await startNatsServer({
      program,
      dataDir: join(folder, "nats"),
      authorization: { configFile, env: {} },
    });
    ends.push(() => server.stop());
    const env = { RATE_LIMIT_PER_MINUTE: "1000000", NATS_URL: server.url, NATS_CREDENTIALS_FILE: credentials };
    const dataDir = join(folder, "cluster");
    await mkdir(dataDir);
    const refused = await startCluster(ONE_OF_EACH, env, { dataDir });
    const lines = await eventually(() => linesWith(dataDir, '"setting":"NATS_')).finally(() => refused.stop());
    say(`refused: ${lines[0]}`);
    const cluster = await startCluster(ONE_OF_EACH, { ...env, ...FITTING }, { dataDir });
    ends.push(() => cluster.stop());
    const load = await startLoad(cluster, { clients: 4 });
    await sleep(LOAD_MS);
    const { consumers, close } = await manager(server.url, account.credentials());
    await consumers.pause(STREAM, "webhooks", new Date(Date.now() + 60_000));
    const paused = await eventually(() => linesWith(dataDir, "paused the consumer"));
    await consumers.resume(STREAM, "webhooks");
    say(`${load.acknowledged()} writes acknowledged; paused: ${paused[0]}`);
    await sleep(LOAD_MS / 2);
    await consumers.delete(STREAM, "webhooks");
    await close();
    say(`${load.acknowledged()} writes acknowledged; the consumer is lost`);
    await sleep(LOAD_MS / 2);
    return verdict(say, cluster, load, {
      figures: { refusal: lines[0], paused: paused[0] },
      promises: [[lines.length === 1, "The refusal was logged more than once in a minute."]],
    });
  });

/** An operator's functions for the account's streams. */
async function manager(servers: string, credentials: string) {
  const nc = await connect({ servers, authenticator: credsAuthenticator(Buffer.from(credentials)) });
  const { consumers } = await jetstreamManager(nc);
  return { consumers, close: () => nc.close() };
}

async function linesWith(dataDir: string, words: string): Promise<string[]> {
  const log = await readFile(join(dataDir, "logs/webhooks-1.log"), "utf8");
  const lines = log.split("\n").filter((line) => line.includes(words));
  if (lines.length === 0) throw new Error(`The log says nothing of ${words} yet.`);
  return lines;
}
