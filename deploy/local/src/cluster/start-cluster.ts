import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Running } from "@shipping/kit/process/run-process";
import type { LocalConfig } from "../config.js";
import { takeDataFolder } from "../data-folder.js";
import { unless } from "../platform/explain-start.js";
import { type Launched, launch } from "./launch.js";
import type { ClusterOptions } from "./options.js";
import { endRecorded } from "./process-record.js";
import { type RunningServer, runServers } from "./run-servers.js";

/** What `cluster.json` holds, for scripts. */
export interface ClusterDescription extends Launched {
  /** The launcher's. */
  pid: number;
  processes: RunningServer[];
}

/** The platform as processes of their own, kept running. */
export interface Cluster extends Running {
  description: ClusterDescription;
  /** The file that holds it. */
  file: string;
  dataDir: string;
}

const FILE = "cluster.json";

/** Starts the platform as separate processes on loopback, and resolves when each answers its health check. `stopping` calls it off. */
export async function startCluster(options: {
  config: LocalConfig;
  cluster: ClusterOptions;
  stopping: AbortSignal;
  say(line: string): void;
}): Promise<Cluster> {
  const { config, cluster, stopping, say } = options;
  const folder = await takeDataFolder(config.DATA_DIR);
  const file = join(folder.path, FILE);
  let launched: Launched | undefined;
  let published = Promise.resolve();

  const describe = (known: Launched) => ({ ...known, pid: process.pid, processes: servers.list() });
  // One write after the other, so that the last one holds the latest state.
  const publish = () => {
    published = published
      .then(() => launched && folder.publish(FILE, describe(launched)))
      .catch((error) => say(`${file} could not be written: ${error.message}`));
  };
  const servers = runServers({ path: folder.path, say, onChange: publish });

  async function stop(fast?: boolean): Promise<void> {
    launched = undefined;
    await servers.stop(fast);
    await published;
    await rm(file, { force: true });
    await folder.release();
  }

  try {
    await rm(file, { force: true });
    await endRecorded(folder.path, say);
    launched = await unless(stopping, launch({ folder, config, cluster, servers, say }));
    publish();
    await published;
    return { description: describe(launched), file, dataDir: folder.path, stop };
  } catch (error) {
    await stop(true);
    throw error;
  }
}
