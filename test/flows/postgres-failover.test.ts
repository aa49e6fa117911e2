import { lostPrimary } from "../failover/postgres/lose-primary.js";

const ONE_OF_EACH = ["gateways", "records", "carrier", "tracking", "webhooks"].flatMap((part) => [`--${part}`, "1"]);

test("when PostgreSQL's primary is lost, its standby goes on with everything acknowledged, and no process is restarted", async () => {
  const { figures, broken } = await lostPrimary(() => {}, ONE_OF_EACH, {
    beforeMs: 3_000,
    downMs: 1_000,
    afterMs: 4_000,
  });
  console.log(`failover of PostgreSQL: ${JSON.stringify(figures)}`);
  expect(broken).toEqual([]);
});
