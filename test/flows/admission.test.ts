import { type ClusterUnderTest, startCluster } from "../cluster.js";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startCluster(["--gateways", "3", "--records", "1", "--carrier", "1", "--webhooks", "1"]);
}, 150_000);
afterAll(() => cluster.stop(), 60_000);

const account = (key: string, turn: number) =>
  fetch(`${cluster.gateways[turn % 3]}/account`, { headers: { authorization: `Bearer ${key}` } });

test("200 requests at once on one key over three gateways: exactly 120 pass", async () => {
  const { key } = await cluster.newCustomer();
  const answers = await Promise.all(Array.from({ length: 200 }, (_, turn) => account(key, turn)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(120);
  expect(statuses.filter((status) => status === 429)).toHaveLength(80);
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("60");
});

test("a key that is revoked is refused on the very next request, by each gateway", async () => {
  const { key, keyId } = await cluster.newCustomer();
  for (const turn of [0, 1, 2]) expect((await account(key, turn)).status).toBe(200);
  await cluster.revokeKey(keyId);
  for (const turn of [0, 1, 2]) expect((await account(key, turn)).status).toBe(401);
});
