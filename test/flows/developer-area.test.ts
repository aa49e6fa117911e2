import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { adminIn } from "@shipping/cli/testing/admin";
import { eventually } from "@shipping/kit/testing/eventually";
import { newVisitor, pathIn, secretIn } from "../developers/visitor.js";
import { apiClient } from "../platform/api-client.js";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

test("signed in at one portal, one works at the other: what is revoked there is refused by all gateways from the next request on", async () => {
  const { sign_in_url: link } = await cluster.now();
  const [here, there] = await portals();
  const visitor = newVisitor(here);
  expect((await visitor.submit(pathIn(link))).status).toBe(303);

  const created = await visitor.submit(`${there}/developers/sandbox/keys/new`, { scopes: ["account:read"] });
  const key = secretIn(created.html) ?? "";
  const answers = () => Promise.all(cluster.gateways.map((url) => apiClient(url, key).get("/account")));
  expect((await answers()).map(({ status }) => status)).toEqual([200, 200, 200]);

  const list = await visitor.get("/developers/sandbox/keys");
  const row = list.html.split("<tr").find((html) => html.includes(`…${key.slice(-4)}`));
  const [, revoke] = /href="([^"]+\/revoke)"/.exec(row ?? "") ?? [];
  expect((await visitor.submit(`${there}${revoke}`)).status).toBe(303);
  expect((await answers()).map(({ status }) => status)).toEqual([401, 401, 401]);

  expect((await visitor.post(`${there}/developers/sign-out`)).status).toBe(303);
  expect((await visitor.get("/developers/sandbox")).status).toBe(401);
});

test("asked for at one portal, a link is a file for its owner only, and signs in at the other, as does the invitation that follows", async () => {
  const { sign_in_email: email } = await cluster.now();
  const [here, there] = await portals();
  expect((await newVisitor(here).submit("/developers/sign-in", { email })).status).toBe(200);
  const visitor = newVisitor(there);
  expect((await visitor.submit(await linkTo(email))).status).toBe(303);

  const invited = "bob@example.com";
  expect((await visitor.submit("/developers/members/invite", { email: invited })).status).toBe(201);
  expect((await newVisitor(here).submit(await linkTo(invited))).status).toBe(303);
  expect((await visitor.get("/developers/audit")).html).toContain("Member invited");
});

test("a gateway has no pages, and the operator's link leads to the public address", async () => {
  const [gateway = ""] = cluster.gateways;
  const answer = await newVisitor(new URL(gateway).origin).get("/developers");
  expect([answer.status, JSON.parse(answer.html)]).toEqual([
    404,
    { error: expect.objectContaining({ code: "not_found" }) },
  ]);
  const { account_id: account, base_url } = await cluster.now();
  const { admin } = adminIn(() => ({ DATA_DIR: cluster.dataDir }));
  // On a busy machine a part can take longer to connect to its database than the command waits.
  await eventually(async () =>
    expect(await admin(`sign-in-link --account ${account}`)).toMatchObject({
      status: 0,
      out: expect.stringContaining(`${new URL(base_url).origin}/developers/sign-in/link#`),
    }),
  );
});

/** The origins of both portals. */
async function portals(): Promise<[string, string]> {
  return (await cluster.now()).portals as [string, string];
}

/** The path of the link in the email to an email address. */
function linkTo(address: string): Promise<string> {
  const folder = join(cluster.dataDir, "mail");
  return eventually(async () => {
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      const [, path] = /(\/developers\/sign-in\/link#\S+)$/m.exec(await readFile(file, "utf8")) ?? [];
      if (!path || !(await readFile(file, "utf8")).includes(`\nTo: ${address}\n`)) continue;
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      return path;
    }
    throw new Error(`No mail to ${address}.`);
  });
}
