import { runs } from "@shipping/kit/testing/runs";
import { FLAWLESS } from "../chaos/audit.js";
import { runChaos } from "../chaos/run-chaos.js";
import { type ClusterUnderTest, sharedCluster } from "../cluster.js";

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
