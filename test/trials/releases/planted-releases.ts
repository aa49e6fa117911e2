import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nextReleases, RELEASE } from "@shipping/kit/release";
import { eventually } from "@shipping/kit/testing/eventually";
import { startCluster } from "../../platform/cluster.js";
import { openReceivers } from "../failover/deliveries-seen.js";
import { startLoad } from "../failover/load.js";
import { deliveriesVerdict } from "../failover/verdict.js";
import type { Report, Say } from "../kit/report.js";
import { withFolder } from "../kit/with-folder.js";
import { ARRIVE_MS, CLIENTS, replace, SWITCHES, TWO_OF_EACH } from "./mixed-releases.js";
import { linkParts } from "./part-links.js";
import { migrateWith, plantRelease } from "./plant-release.js";

const here = fileURLToPath(new URL("../../..", import.meta.url));
const [, NEXT] = nextReleases(RELEASE);
const [, AFTER] = nextReleases(NEXT);
const EXPAND = `-- release: ${NEXT}\nALTER TABLE orders ADD COLUMN planted text;\n`;
const CONTRACT = `-- release: ${AFTER}\n-- contracts: needs ${NEXT}\nALTER TABLE orders DROP COLUMN planted;\n`;
const END_MS = 300_000;

/** A step of the trial: what it does, and the sentences that it must say. */
interface Step {
  name: string;
  said: string;
  expected: string;
}

/**
 * Plays this release (n) and two planted ones, of which the second contracts, on two processes of each part and under load: n and n+1 at
 * once, n+1 and back, the jump from n to n+2, and n+2 step by step, after which n no longer starts.
 */
export async function plantedReleases(say: Say, calmMs: number): Promise<Report> {
  return withFolder(async (folder, ends) => {
    const [next, after, dataDir] = ["next", "after", "data"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await mkdir(dataDir);
    await plantRelease(here, next, { release: NEXT, migrations: { "20990101000000_planted": EXPAND } });
    const both = { "20990101000000_planted": EXPAND, "20990102000000_contract": CONTRACT };
    await plantRelease(here, after, { release: AFTER, migrations: both });
    const links = await linkParts(join(folder, "parts"), here);
    const cluster = await startCluster([...TWO_OF_EACH, ...links.flags], SWITCHES, { dataDir });
    ends.push(() => cluster.stop());
    const receivers = await openReceivers(cluster);
    const load = await startLoad(cluster, { clients: CLIENTS, customers: receivers.customers });
    const { connectionString: url = "" } = cluster.databases.records.pool.options;
    const steps: Step[] = [];
    const note = (name: string, said: string, expected: string) => {
      steps.push({ name, said, expected });
      say(`${name}: ${said}`);
    };
    const migrate = async (name: string, checkout: string, expected: string) => {
      const { status, says } = await migrateWith(checkout, url);
      note(name, `${status} ${says}`, expected);
    };
    const run = async (checkout: string, ...names: string[]) => {
      await links.point("records", checkout);
      for (const name of names) {
        await replace(cluster, name, []);
        await sleep(calmMs);
      }
    };
    await sleep(calmMs);

    await migrate("n+1 migrates beside n", next, "0 migrated");
    await run(next, "records-1");
    await migrate("n rolls back", here, "0 nothing to migrate");
    await run(here, "records-1");
    await migrate("n+2 skips n+1", after, `1 Release ${AFTER} cannot follow ${RELEASE} directly`);
    await migrate("n+1 migrates again", next, "0 nothing to migrate");
    await run(next, "records-1");
    await migrate("n+2 beside n", after, `records ${RELEASE} is connected`);
    await run(next, "records-2");
    await migrate("n+2 beside n+1", after, "0 migrated");
    await run(after, "records-1", "records-2");
    await migrate("n+1 rolls back", next, "0 nothing to migrate");
    await run(next, "records-1");
    await migrate("n rolls back too far", here, `1 The schema of this database needs release ${NEXT} or newer`);

    // One process of n beside the others, which it must not join.
    await links.point("records", here);
    const log = join(dataDir, "logs/records-2.log");
    const { pid } = await cluster.process("records-2");
    process.kill(pid, "SIGTERM");
    const refusal = () =>
      readFile(log, "utf8").then((text) => /The schema of this database needs [^"]*/.exec(text)?.[0]);
    await eventually(async () => expectText(await refusal()), { withinMs: END_MS });
    note("n starts too late", (await refusal()) ?? "", `needs release ${NEXT} or newer, and this is ${RELEASE}`);
    await links.point("records", after);
    await cluster.healthy();

    await load.stop();
    return deliveriesVerdict(say, { cluster, load, receivers, arriveWithinMs: ARRIVE_MS }, () => ({
      figures: { steps: steps.map(({ name, said }) => `${name}: ${said}`) },
      promises: [
        [Object.keys(load.attempts.seen().failed).length === 0, "A request failed."],
        ...steps.map(
          ({ name, said, expected }) => [said.includes(expected), `${name}: "${expected}" was not said.`] as const,
        ),
      ],
    }));
  });
}

function expectText(text: string | undefined): void {
  if (text === undefined) throw new Error("The process has not refused to start yet.");
}
