import { ONE_OF_EACH } from "../platform/launch-cluster.js";
import { lostPrimary } from "../trials/failover/postgres/lose-primary.js";

test("when PostgreSQL's primary is lost, its standby goes on with everything acknowledged, and no process is restarted", async () => {
  const { figures, broken } = await lostPrimary(() => {}, ONE_OF_EACH, {
    beforeMs: 3_000,
    downMs: 1_000,
    afterMs: 4_000,
  });
  console.log(`failover of PostgreSQL: ${JSON.stringify(figures)}`);
  expect(broken).toEqual([]);
});
