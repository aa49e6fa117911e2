import "@shipping/kit/process/require-node";
import { createLog } from "@shipping/kit/process/log";
import { configured, runProcess } from "@shipping/kit/process/run-process";
import { localConfig } from "../config.js";
import { explainStart } from "../platform/explain-start.js";
import { clusterOptions } from "./options.js";
import { type Cluster, startCluster } from "./start-cluster.js";

const say = (line: string) => process.stdout.write(`${line}\n`);

const config = configured(localConfig);
const options = clusterOptions(process.argv.slice(2), config.PORT);

/** Runs `npm run cluster`: the platform as separate processes, until Ctrl-C or SIGTERM. */
async function start(stopping: AbortSignal): Promise<Cluster> {
  const cluster = await startCluster({ config, cluster: options, stopping, say });
  const { base_url, sandbox_key, sign_in_url, sign_in_email, processes } = cluster.description;
  const lines = processes.map(({ name, address, pid }) => `  ${name.padEnd(12)} ${address.padEnd(16)} pid ${pid}`);
  say(`
The cluster is ready after ${(performance.now() / 1000).toFixed(1)} s at ${new URL(base_url).origin}
${lines.join("\n")}
${sign_in_url ? `\nDeveloper area (this link works once, within 15 minutes; for more, sign in as ${sign_in_email}):\n  ${sign_in_url}\n` : ""}
First call:
  curl -H "Authorization: Bearer ${sandbox_key}" ${base_url}/account

Emails are written to ${cluster.dataDir}/mail unless SMTP_URL is set.
These details are in ${cluster.file}. A process that exits is restarted. Press Ctrl-C to stop everything.
`);
  return cluster;
}

// Ignores a closed standard output.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

// A test or benchmark that started this with an IPC channel has ended: stop.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
await runProcess({
  log: createLog({ part: "cluster", level: "warn", destination: process.stderr }),
  start: (stopping) => explainStart(() => start(stopping), stopping),
});
