import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { migrate } from "@shipping/kit/postgres/migrate";
import { eventually } from "@shipping/kit/testing/eventually";
import { cachedRelease, commitOf } from "@shipping/local/cluster/build-release";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import { PARTS, type PartName } from "@shipping/proto/parts";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { ofEach } from "../../platform/launch-cluster.js";
import { openReceivers } from "../failover/deliveries-seen.js";
import { type LoadReport, startLoad } from "../failover/load.js";
import { deliveriesVerdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { linkParts, type PartLinks } from "./part-links.js";
import { useKeyForms } from "./use-forms.js";

const here = fileURLToPath(new URL("../../..", import.meta.url));
/** Whoever is called comes first, in both directions, so that old parts call new ones, and new ones old ones. */
export const ORDER: readonly Part[] = calledFirst();
/** The flags of a cluster with two processes of each part. */
export const TWO_OF_EACH = ofEach(2);
/** The settings of the clusters of these trials. */
export const SWITCHES = { RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };
export const CLIENTS = 4;
const RESTART_MS = 300_000;
export const ARRIVE_MS = 120_000;

function calledFirst(): Part[] {
  const ordered = new Set<PartName>();
  const add = (part: PartName) => {
    for (const called of PARTS[part].calls) if (!ordered.has(called)) add(called);
    ordered.add(part);
  };
  parts.forEach(add);
  return parts.toSorted((one, other) => [...ordered].indexOf(one) - [...ordered].indexOf(other));
}

interface Replacing {
  /** The time after each replacement. */
  calmMs: number;
  /** The parts to replace, in this order. The others stay as released. */
  replaced: readonly Part[];
}

/**
 * Upgrades parts from the release of `revision` to this checkout, and rolls them back, process by process and under load. No request may fail, and no acknowledged write may be lost or doubled, by either release.
 */
export async function mixedReleases(say: Say, revision: string, replacing: Replacing): Promise<Report> {
  const commit = await commitOf(revision);
  return withFolder(async (folder, ends) => {
    const dataDir = join(folder, "data");
    await mkdir(dataDir);
    const old = await cachedRelease(commit, say);
    const before = await writeWithOld({ old, dataDir, calmMs: replacing.calmMs });
    say(`${before.acknowledged.length} writes acknowledged by the old release alone`);
    const links = await linkParts(join(folder, "parts"), old);
    const cluster = await startCluster([...TWO_OF_EACH, ...links.flags], SWITCHES, { dataDir });
    ends.push(() => cluster.stop());
    return upgradeAndBack(say, { cluster, links, old, before, ...replacing });
  });
}

/** Runs the old release unchanged, on databases of its own schema. */
async function writeWithOld(at: { old: string; dataDir: string; calmMs: number }): Promise<LoadReport> {
  const { old: checkout, dataDir, calmMs } = at;
  const cluster = await startCluster([], SWITCHES, { dataDir, checkout });
  try {
    const { account_id: accountId, sandbox_key: key } = await cluster.now();
    const load = await startLoad(cluster, { clients: CLIENTS, customers: [{ accountId, key }] });
    await sleep(calmMs);
    return await load.stop();
  } finally {
    await cluster.stop();
  }
}

async function upgradeAndBack(
  say: Say,
  of: { cluster: ClusterUnderTest; links: PartLinks; old: string; before: LoadReport } & Replacing,
): Promise<Report> {
  const { cluster, links, old, before, calmMs, replaced } = of;
  const receivers = await openReceivers(cluster);
  // The gateways and portals that a load balancer would choose from.
  const gateways = [...cluster.gateways];
  const portals = [...(await cluster.now()).portals];
  const load = await startLoad({ ...cluster, gateways }, { clients: CLIENTS, customers: receivers.customers });
  const forms = useKeyForms(cluster);
  const longestMs: Record<string, number> = {};
  await sleep(calmMs);
  for (const [direction, checkout] of [["upgrade", here] as const, ["rollback", old] as const]) {
    for (const part of replaced) {
      const fromMs = performance.now();
      // The migrations of a release run before its code; a rollback leaves the schema as it is.
      if (checkout === here) await migrateHere(part, cluster);
      await links.point(part, checkout);
      for (const name of [`${part}-1`, `${part}-2`]) {
        await replace(cluster, name, part === "portal" ? portals : gateways);
        await forms.use(portals);
        await sleep(calmMs);
      }
      longestMs[`${direction} ${part}`] = load.attempts.longestSince(fromMs);
      say(`${direction}: ${part}, after ${load.acknowledged()} writes`);
    }
  }
  const after = await load.stop();
  const both: LoadReport = {
    accountIds: [...before.accountIds, ...after.accountIds],
    acknowledged: [...before.acknowledged, ...after.acknowledged],
    reads: after.reads,
  };
  const arriving = { cluster, load, receivers, arriveWithinMs: ARRIVE_MS, audited: both };
  return deliveriesVerdict(say, arriving, () => ({
    figures: { longestMs, forms: { sent: forms.sent, wrong: forms.wrong } },
    promises: [
      [Object.keys(load.attempts.seen().failed).length === 0, "A request failed."],
      [forms.sent > 0 && forms.wrong.length === 0, "A form got another answer than it should."],
    ],
  }));
}

/** Applies this checkout's migrations to the database of a part. */
async function migrateHere(part: Part, { databases }: ClusterUnderTest): Promise<void> {
  const { connectionString: url = "" } = databases[part].pool.options;
  await migrate({ url, directory: migrationFolders[part] });
}

/** Ends a process as an upgrade does, and resolves when its successor serves. If it is one of those that are `balanced`, it gets no new requests meanwhile. */
export async function replace(cluster: ClusterUnderTest, name: string, balanced: string[]): Promise<void> {
  const { pid, address } = await cluster.process(name);
  const at = balanced.findIndex((url) => new URL(url).host === address);
  const [taken] = at < 0 ? [] : balanced.splice(at, 1);
  process.kill(pid, "SIGTERM");
  await eventually(
    async () => {
      if ((await cluster.process(name)).pid === pid) throw new Error(`${name} has not ended.`);
      await cluster.healthy();
    },
    { withinMs: RESTART_MS },
  );
  if (taken !== undefined) balanced.push(taken);
}
