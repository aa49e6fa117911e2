import { apiClient } from "../api-client.js";
import { type ClusterUnderTest, startCluster } from "../cluster.js";
import { newVisitor, secretIn } from "../developers/visitor.js";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startCluster(["--gateways", "2"]);
}, 90_000);
afterAll(() => cluster.stop(), 60_000);

test("signed in at one gateway, one works at the other: what is revoked there is refused by both from the next request on", async () => {
  const { sign_in_url: link } = await cluster.now();
  const [here, there] = cluster.gateways.map((url) => new URL(url).origin) as [string, string];
  const visitor = newVisitor(here);
  expect((await visitor.submit(new URL(link).pathname)).status).toBe(303);

  const created = await visitor.submit(`${there}/developers/sandbox/keys/new`, { scopes: ["account:read"] });
  const key = secretIn(created.html) ?? "";
  const answers = () => Promise.all(cluster.gateways.map((url) => apiClient(url, key).get("/account")));
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200]);

  const list = await visitor.get("/developers/sandbox/keys");
  const row = list.html.split("<tr").find((html) => html.includes(`…${key.slice(-4)}`));
  const [, revoke] = /href="([^"]+\/revoke)"/.exec(row ?? "") ?? [];
  expect((await visitor.submit(`${there}${revoke}`)).status).toBe(303);
  expect((await answers()).map(({ status }) => status)).toEqual([401, 401]);

  expect((await visitor.post(`${there}/developers/sign-out`)).status).toBe(303);
  expect((await visitor.get("/developers/sandbox")).status).toBe(401);
});
