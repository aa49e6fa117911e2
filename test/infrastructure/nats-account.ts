import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { findNatsServer } from "@shipping/local/servers/find-nats-server";
import { startNatsServer } from "@shipping/local/servers/nats-server";
import type { Report } from "../chaos/deliveries/report.js";
import { startCluster } from "../cluster.js";
import { startLoad } from "../failover/load.js";
import { verdict } from "../failover/verdict.js";
import { natsAccount } from "../nats-account.js";
import { ONE_OF_EACH, withFolder } from "./stand.js";

const LOAD_MS = 10_000;
const LIMITS = { max_bytes_required: true, disk_max_stream_bytes: 100_000_000, max_ack_pending: 1_000 };
const FITTING = {
  NATS_STREAM_MAX_BYTES: "100000000",
  NATS_DUPLICATE_WINDOW_SECONDS: "60",
  NATS_MAX_ACK_PENDING: "1000",
};

/** The workload in an account with limits, as a provider or `nsc` makes it: first without the settings for them, then with. */
export const natsAccountRow = (say: (line: string) => void): Promise<Report> =>
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
    const lines = await eventually(() => refusals(dataDir), { withinMs: 10_000 }).finally(() => refused.stop());
    say(`refused: ${lines[0]}`);
    const cluster = await startCluster(ONE_OF_EACH, { ...env, ...FITTING }, { dataDir });
    ends.push(() => cluster.stop());
    const load = await startLoad(cluster, { clients: 4 });
    await new Promise((resolve) => setTimeout(resolve, LOAD_MS));
    say(`${load.acknowledged()} writes acknowledged; auditing`);
    return verdict(cluster, load, {
      figures: { refusal: lines[0] },
      promises: [[lines.length === 1, "The refusal was logged more than once in a minute."]],
    });
  });

async function refusals(dataDir: string): Promise<string[]> {
  const log = await readFile(join(dataDir, "logs/webhooks-1.log"), "utf8");
  const lines = log.split("\n").filter((line) => line.includes('"setting":"NATS_'));
  if (lines.length === 0) throw new Error("Nothing was refused yet.");
  return lines;
}
