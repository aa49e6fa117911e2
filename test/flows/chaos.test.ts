import { runs } from "@shipping/kit/testing/runs";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";
import { FLAWLESS } from "../trials/chaos/audit.js";
import { runChaos } from "../trials/chaos/run-chaos.js";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

describe("under kill -9 of a random process every second", () => {
  test(
    "nothing acknowledged is lost or doubled, replays are equal, statuses agree, every operation has its event",
    async () => {
      const report = await runChaos(cluster, { operations: runs(150), clients: 8, killEveryMs: 1_000 });
      console.log(`chaos: ${JSON.stringify(report)}`);
      expect(report.kills).toBeGreaterThan(0);
      expect(report.audit).toEqual(FLAWLESS);
    },
    runs(360_000),
  );
});
