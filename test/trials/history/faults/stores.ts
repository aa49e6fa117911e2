import { setTimeout as sleep } from "node:timers/promises";
import { fillDisks, startOnSmallDisks } from "../../failover/disk-full/disk-full.js";
import { startPair } from "../../failover/postgres/pair.js";
import { startWithClocks } from "../../failover/wrong-clocks.js";
import { type Stage, type StageOptions, switches } from "./stage.js";

const DOWN_MS = 4_000;
const JUMPING_MS = 10_000;

/** The platform on a PostgreSQL whose primary is lost, with or without closed connections, and whose synchronous standby takes its place. */
export async function failoverStage({ limit, chance }: StageOptions): Promise<Stage> {
  const pair = await startPair("sync", [], switches(limit));
  return {
    cluster: pair.cluster,
    gateways: pair.cluster.gateways,
    faults: {
      async failover() {
        await (chance() < 0.5 ? pair.losePrimary() : pair.haltPrimary());
        await sleep(DOWN_MS);
        await pair.failOver();
        return ["crash"];
      },
    },
    stop: pair.stop,
  };
}

/** The platform whose processes and databases have clocks of their own, which disagree by minutes, and then jump. */
export async function clocksStage({ limit }: StageOptions): Promise<Stage> {
  const wrong = await startWithClocks(switches(limit));
  return {
    cluster: wrong.cluster,
    gateways: wrong.cluster.gateways,
    faults: {
      async clocks() {
        await wrong.disagree();
        await sleep(JUMPING_MS);
        await wrong.jump(JUMPING_MS);
        return ["clocks"];
      },
    },
    stop: wrong.stop,
  };
}

/** The platform on small disks, which are full for a while. */
export async function disksStage({ limit }: StageOptions): Promise<Stage> {
  const stage = await startOnSmallDisks(switches(limit));
  return {
    cluster: stage.cluster,
    gateways: stage.cluster.gateways,
    faults: {
      async "disk-full"() {
        await fillDisks(stage);
        return ["crash"];
      },
    },
    stop: stage.stop,
  };
}
