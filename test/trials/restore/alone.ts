import { adminIn } from "@shipping/cli/testing/admin";
import { eventually } from "@shipping/kit/testing/eventually";
import { emptyOutbox } from "@shipping/kit/testing/stored-writes";
import type { Part } from "@shipping/local/parts";
import { DATABASE_OWNERS, PUBLISHERS } from "@shipping/proto/parts";
import { forgetStreamTokens } from "@shipping/webhooks/testing/stored-events";
import { startCluster } from "../../platform/cluster.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { mixedLoad } from "../chaos/mixed-load.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import { seconds } from "../kit/statistics.js";
import { raiseTokens, urlOf } from "./archived-postgres.js";
import { openCopies } from "./copied-databases.js";
import { seedParcels } from "./seed-parcels.js";

/** Parts whose rows can all be made again come first: what the others lose stays lost. */
const REBUILT: readonly Part[] = ["tracking", "webhooks", "portal"];
const ORDER = [...REBUILT, ...DATABASE_OWNERS.filter((part) => !REBUILT.includes(part))];
const OPERATIONS = 30;

type Counts = Record<string, number>;

/** Restores each database alone to a time before some work, the others as they are, and repairs what is derived. */
export async function restoreAlone(say: Say, parcels: number): Promise<Report> {
  const cluster = await startCluster(ONE_OF_EACH, { RATE_LIMIT_PER_MINUTE: "1000000" });
  const { admin } = adminIn(() => ({ DATA_DIR: cluster.dataDir }));
  const copies = await openCopies(cluster);
  async function timed<T>(name: string, work: () => Promise<T>): Promise<[T, number]> {
    const begun = performance.now();
    const result = await work();
    const took = seconds(performance.now() - begun);
    say(`${name}: ${took} s`);
    return [result, took];
  }
  /** The differences by problem, as the deep check finds them, or as the command has repaired them. */
  async function count(line: string, find: (printed: string) => { differences?: { problem: string }[] }[]) {
    const { out, err } = await admin(`${line} --json`);
    if (err !== "") throw new Error(err);
    const counts: Counts = {};
    for (const { differences = [] } of find(out))
      for (const { problem } of differences) counts[problem] = (counts[problem] ?? 0) + 1;
    return counts;
  }
  const check = () => count("doctor --deep --wait 0", (printed) => JSON.parse(printed).findings);
  const repair = () => count("derived repair", (printed) => JSON.parse(printed));
  const lostOnly = async () => {
    const counts = await check();
    const { lost = 0, ...others } = counts;
    if (Object.keys(others).length > 0) throw new Error(`Still wrong: ${JSON.stringify(others)}`);
    return lost;
  };
  try {
    const [, seedSeconds] = await timed(`store ${parcels} parcels`, () => seedParcels(cluster, parcels));
    const [rebuilt, rebuildSeconds] = await timed("rebuild their search and tracking", () => eventually(repair));
    const [lostBefore, checkSeconds] = await timed("deep check", () => eventually(lostOnly));
    const restored: Record<string, unknown> = {};
    const broken: [boolean, string][] = [[lostBefore === 0, "Something was lost before anything was restored."]];
    let lost = lostBefore;
    for (const part of ORDER) {
      const bytes = await copies.bytes(part);
      await copies.copy(part);
      await cluster.healthy();
      // Customers of their own, because a lost answer cannot be replayed to those of the round before.
      const customers = [await cluster.newCustomer()];
      await mixedLoad({ gateways: cluster.gateways, customers, operations: OPERATIONS, clients: 4 });
      await eventually(lostOnly);
      for (const publisher of PUBLISHERS) await emptyOutbox(cluster.databases[publisher]);
      const [, restoreSeconds] = await timed(`restore ${part} alone`, () => copies.loseAndRestore(part));
      if (part === "gateway") await raiseTokens(await urlOf(cluster));
      if (part === "webhooks") {
        await eventually(() => forgetStreamTokens(cluster.databases.webhooks));
        await eventually(async () => {
          if ((await admin("bus claim")).status !== 0) throw new Error("The stream is not claimed yet.");
        });
      }
      await cluster.healthy();
      const found = await eventually(check);
      const [repaired, repairSeconds] = await timed("derived repair", () => eventually(repair));
      const left = await eventually(lostOnly);
      restored[part] = { bytes, restoreSeconds, found, repaired, repairSeconds, lost: left - lost };
      const isRebuilt = ["tracking", "webhooks", "portal"].includes(part);
      broken.push([!isRebuilt || left === lost, `Something of ${part} is lost that can be made again.`]);
      broken.push([Object.keys(found).length > 0 || part === "portal", `Nobody has noticed the restore of ${part}.`]);
      lost = left;
    }
    return reportOf({ parcels, seedSeconds, rebuilt, rebuildSeconds, checkSeconds, restored }, broken);
  } finally {
    await copies.close();
    await cluster.stop();
  }
}
