import { readFileSync } from "node:fs";
import { join } from "node:path";
import { peekLink } from "../../developers/sign-in/sign-in-link.js";
import { adminIn } from "../../testing/admin.js";
import { gatewayDatabase } from "../../testing/gateway-database.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const PUBLIC_URL = "https://ship.example";
const { admin, json } = adminIn(() => ({ DATABASE_URL_GATEWAY: gateway.url, PUBLIC_URL }));
const withoutUrl = { PUBLIC_URL: undefined };

const newAccount = async (): Promise<string> => (await json("account create --name Acme")).id;

test("account create --admin-email creates an admin who can sign in, or creates no account", async () => {
  const created = await json("account create --name Globex --admin-email Ada@Example.com");
  expect(created).toMatchObject({ name: "Globex", admin: { email: "ada@example.com" } });
  expect(created.admin.url).toMatch(/^https:\/\/ship\.example\/developers\/sign-in\/link#[\w-]{43}$/);
  expect(await json(`member list --account ${created.id}`)).toMatchObject([{ role: "admin" }]);
  const before = await json("account list");
  expect((await admin("account create --name Globex --admin-email ada")).err).toContain("email");
  expect((await admin("account create --name Globex --admin-email a@b.example", withoutUrl)).err).toContain(
    "Set PUBLIC_URL.",
  );
  expect(await json("account list")).toEqual(before);
});

test("the commands that the chart prints after an installation create an account, an admin who can sign in, and a key", async () => {
  const notes = readFileSync(join(import.meta.dirname, "../../../../deploy/chart/templates/NOTES.txt"), "utf8");
  const [withAdmin = "", alone = "", key = "", ...others] = [...notes.matchAll(/ -- admin (.*)/g)].map(
    ([, line]) => line,
  );
  expect([withAdmin.includes("--admin-email"), alone.includes("--admin-email"), others]).toEqual([true, false, []]);
  const { out } = await admin(withAdmin);
  const [, token = ""] = /https:\/\/ship\.example\/developers\/sign-in\/link#([\w-]{43})/.exec(out) ?? [];
  expect(await peekLink({ ...gateway.admin, clockOffsetMs: 0 }, token)).toEqual({
    email: "you@example.com",
    accountName: "First customer",
  });
  expect((await admin(key)).out).toMatch(/service_test_/);
  expect(await admin(alone, withoutUrl)).toMatchObject({ status: 0, err: "" });
});

describe("member", () => {
  test("add takes an email, in lower case, and a role: administrator unless told", async () => {
    const account = await newAccount();
    const added = await json(`member add --account ${account} --email Ada@Example.com`);
    expect(added).toMatchObject({ id: expect.stringMatching(/^mem_/), email: "ada@example.com", role: "admin" });
    await json(`member add --account ${account} --email bob@example.com --role viewer`);
    const listed: { email: string; role: string }[] = await json(`member list --account ${account}`);
    expect(listed.map(({ email, role }) => [email, role])).toEqual([
      ["ada@example.com", "admin"],
      ["bob@example.com", "viewer"],
    ]);
  });

  test("remove takes the member away, links and all", async () => {
    const account = await newAccount();
    await json(`member add --account ${account} --email ada@example.com --role viewer`);
    await json(`sign-in-link --account ${account} --email ada@example.com`);
    expect(await json(`member remove --account ${account} --email ada@example.com`)).toMatchObject({
      email: "ada@example.com",
    });
    expect(await json(`member list --account ${account}`)).toEqual([]);
    const entries = await gateway.prisma.auditEntry.findMany({ where: { accountId: account }, orderBy: { at: "asc" } });
    expect(entries.map(({ actor, action, source }) => [actor, action, source])).toEqual([
      ["operator", "member.added", "command line"],
      ["operator", "member.sign_in_link_made_by_operator", "command line"],
      ["operator", "member.removed", "command line"],
    ]);
  });

  test("is refused twice in one account, without an account, and without an email address", async () => {
    const account = await newAccount();
    const add = `member add --account ${account} --email ada@example.com`;
    await json(add);
    expect((await admin(add)).err).toContain("already");
    expect((await admin("member add --account acc_none --email a@b.c")).err).toContain("acc_none");
    expect((await admin(`member add --account ${account} --email nobody`)).err).toContain("nobody");
    expect((await admin(`member add --account ${account} --email a@b.c --role owner`)).status).toBe(1);
  });
});

describe("sign-in-link", () => {
  test("is the first administrator's unless an email is named, and ends in 15 minutes", async () => {
    const account = await newAccount();
    await json(`member add --account ${account} --email viewer@example.com --role viewer`);
    await json(`member add --account ${account} --email ada@example.com`);
    const link = await json(`sign-in-link --account ${account}`);
    expect(link).toMatchObject({ email: "ada@example.com" });
    expect(link.url).toMatch(/^https:\/\/ship\.example\/developers\/sign-in\/link#[\w-]{43}$/);
    expect(Date.parse(link.expires_at) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
    expect((await json(`sign-in-link --account ${account} --email viewer@example.com`)).email).toBe(
      "viewer@example.com",
    );
    expect((await admin(`sign-in-link --account ${account}`)).out).toMatch(
      /^https:\S+\n\nThis link signs in ada@example\.com once/,
    );
  });

  test("needs a member, and an address to point at", async () => {
    const account = await newAccount();
    expect((await admin(`sign-in-link --account ${account}`)).err).toContain("member add");
    await json(`member add --account ${account} --email ada@example.com`);
    expect((await admin(`sign-in-link --account ${account}`, withoutUrl)).err).toContain("PUBLIC_URL");
  });
});
