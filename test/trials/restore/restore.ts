import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runAdmin } from "@shipping/cli/run-admin";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { freePort } from "../../platform/free-port.js";
import { ONE_OF_EACH } from "../../platform/launch-cluster.js";
import { startLoad } from "../failover/load.js";
import { judgeLoss, keysOn } from "../failover/postgres/lost-writes.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import { seconds } from "../kit/statistics.js";
import { withFolder } from "../kit/with-folder.js";
import { keepBackups, loseServer, raiseTokens } from "./archived-postgres.js";
import { seedParcels } from "./seed-parcels.js";

const POINT = "drill";
const ENV = { RATE_LIMIT_PER_MINUTE: "1000000" };

/** Restores the platform as docs/operations/backup.md says, while customers repeat their requests, and audits the acknowledged writes. */
export const restoreDrill = (say: Say, { parcels = 0, loadMs = 4_000 } = {}): Promise<Report> =>
  withFolder(async (folder, ends) => {
    const steps: Record<string, number> = {};
    async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
      const begun = performance.now();
      const result = await work();
      steps[name] = seconds(performance.now() - begun);
      say(`${name}: ${steps[name]} s`);
      return result;
    }
    const [dataDir, backupFolder] = [join(folder, "data"), join(folder, "backups")];
    await mkdir(dataDir);
    await mkdir(backupFolder);
    // The same base URL before and after, which customers continue to use.
    const flags = [...ONE_OF_EACH, "--port", String(await freePort())];
    const start = () => startCluster(flags, ENV, { dataDir });
    let cluster: ClusterUnderTest | undefined;
    ends.push(() => cluster?.stop());
    const backups = await keepBackups(backupFolder);
    const first = await step("start", start);
    cluster = first;
    if (parcels > 0) await step(`store ${parcels} parcels`, () => seedParcels(first, parcels));
    await step("archive the log", () => backups.beginArchive(first));
    const load = await startLoad(first, { clients: 8, mayBeGone: true });
    await sleep(loadMs);
    await step("base backup", () => backups.copy(first));
    const gigabytes = (await backups.bytes()) / 1e9;
    await sleep(loadMs);
    const promised = load.acknowledged();
    await step("archive up to the point", () => backups.markPoint(first, POINT));
    await sleep(loadMs);
    await step("lose the server", () => loseServer(first));
    const count = load.acknowledged();
    const lossMs = performance.now();
    await step("1. stop gateways and services", () => first.stop());
    const restored = await step("1. restore to the point", () => backups.restore(dataDir, POINT));
    const held = await keysOn(restored.url("postgres"));
    const raisedBy = await step("2. raise the tokens", () => raiseTokens(restored.url("postgres")));
    await restored.stop();
    const second = await step("4. start services and gateways", start);
    cluster = second;
    await step("5. claim the event stream", () => claimStream(dataDir));
    const readyMs = performance.now();
    const outageSeconds = seconds(readyMs - lossMs);
    await sleep(loadMs);
    const firstSuccessMs = load.attempts.firstSuccessAfter(readyMs);
    const { accountIds, acknowledged, reads } = await load.stop();

    const earlier = acknowledged.slice(0, count);
    const lost = earlier.filter(({ write }) => !held.has(write.idempotencyKey));
    const kept = acknowledged.filter((one) => !lost.includes(one));
    const missing = earlier.slice(0, promised).filter((one) => lost.includes(one)).length;
    say(
      `${acknowledged.length} writes acknowledged, ${promised} before the point, ${lost.length} of the later ones lost`,
    );
    const { figures, promises } = await step("audit, once all agrees", () =>
      judgeLoss(second, { accountIds, kept, lost }),
    );
    const { right, unavailable } = reads;
    const perGigabyte = (name: string) => Math.round((steps[name]! / gigabytes) * 10) / 10;
    const size = {
      parcels,
      gigabytes: Math.round(gigabytes * 1_000) / 1_000,
      backupSecondsPerGigabyte: perGigabyte("base backup"),
      restoreSecondsPerGigabyte: perGigabyte("1. restore to the point"),
    };
    const before = { acknowledged: acknowledged.length, beforeThePoint: promised, missing };
    return reportOf(
      { steps, ...size, outageSeconds, firstSuccessMs, ...before, raisedBy, reads: { right, unavailable }, ...figures },
      [
        ...promises,
        [promised > 0, "Nothing was acknowledged before the point, so this shows nothing."],
        [missing === 0, "A write is missing that was acknowledged before the point."],
        [firstSuccessMs !== undefined, "No write succeeded after the restore."],
      ],
    );
  });

async function claimStream(dataDir: string): Promise<void> {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const status = await runAdmin(["bus", "claim"], { env: { DATA_DIR: dataDir }, out: print, err: print });
  if (status !== 0) throw new Error(`The event stream was not claimed: ${printed.join("")}`);
}
