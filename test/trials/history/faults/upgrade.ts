import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildRelease, commitOf } from "@shipping/local/cluster/build-release";
import { startCluster } from "../../../platform/cluster.js";
import { ORDER, replace, TWO_OF_EACH } from "../../releases/mixed-releases.js";
import { linkParts } from "../../releases/part-links.js";
import { type Stage, type StageOptions, switches } from "./stage.js";

const here = fileURLToPath(new URL("../../../..", import.meta.url));

/** The platform that is rolled back to an older release and upgraded again, process by process, on databases of this checkout. */
export async function upgradeStage({ limit, revision }: StageOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-history-"));
  // PostgreSQL may run as a user of its own.
  await chmod(folder, 0o755);
  const old = join(folder, "old");
  await buildRelease(await commitOf(revision), old);
  const links = await linkParts(join(folder, "parts"), here);
  const cluster = await startCluster([...TWO_OF_EACH, ...links.flags], switches(limit));
  const gateways = [...cluster.gateways];
  return {
    cluster,
    gateways,
    faults: {
      async upgrade() {
        for (const checkout of [old, here]) {
          for (const part of ORDER) {
            await links.point(part, checkout);
            for (const name of [`${part}-1`, `${part}-2`]) await replace(cluster, name, gateways);
          }
        }
        return [];
      },
    },
    async stop() {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
