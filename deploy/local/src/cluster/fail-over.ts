import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { processIdentity } from "@shipping/local/servers/process-identity";
import { addressFile, moveAddress, readTarget } from "../standby/address.js";
import { promote } from "../standby/replication.js";
import { end } from "./process-record.js";
import type { ClusterDescription } from "./start-cluster.js";

const STOP_MS = 10_000;

/**
 * Stops the primary of the cluster that runs on `dataDir`, if it still runs, promotes its standby, and moves the address there. A primary
 * that can be stopped sends everything to its standby first, so nothing is lost.
 */
export async function failOver(dataDir: string, say: (line: string) => void): Promise<void> {
  const { processes } = await describe(dataDir);
  const [primary, standby] = ["postgres-1", "postgres-2"].map((name) => processes.find((one) => one.name === name));
  if (!standby || readTarget(addressFile(dataDir))?.server !== "postgres-1")
    throw new Error("This cluster has no standby to promote. Start it with: npm run cluster -- --standby");
  const running = primary && processIdentity(primary.pid);
  if (running) await end(running, STOP_MS);
  const begun = performance.now();
  await promote(await superuserUrl(dataDir, standby.address));
  moveAddress(dataDir, { server: "postgres-2", port: Number(standby.address.split(":")[1]) });
  say(`postgres-2 was promoted and has the address after ${((performance.now() - begun) / 1000).toFixed(1)} s.`);
}

/** The URL of the server at `address` of the cluster on `dataDir`. */
export async function superuserUrl(dataDir: string, address: string): Promise<string> {
  const password = (await readFile(join(dataDir, "postgres.password"), "utf8")).trim();
  return `postgresql://postgres:${encodeURIComponent(password)}@${address}/postgres`;
}

async function describe(dataDir: string): Promise<ClusterDescription> {
  const text = await readFile(join(dataDir, "cluster.json"), "utf8").catch(() => {
    throw new Error(`No cluster runs on ${dataDir}. Start one with: npm run cluster -- --standby`);
  });
  return JSON.parse(text) as ClusterDescription;
}
