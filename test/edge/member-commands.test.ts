import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newId } from "@shipping/kit/ids";
import { markInvited, memberOfLink } from "@shipping/portal/testing/stored-members";
import { type Stack, sharedStack } from "../platform/stack.js";
import { admin as adminOn, json as jsonOn } from "./admin.js";

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

const PUBLIC_URL = "https://ship.example";
const LINK = /https:\/\/ship\.example\/developers\/sign-in\/link#([\w-]{43})/;
const admin = (line: string, env: Record<string, string> = { PUBLIC_URL }) => adminOn(stack, line, env);
const json = (line: string) => jsonOn(stack, line, { PUBLIC_URL });

const newAccount = async (): Promise<string> => (await json("account create --name Acme")).id;
/** A name that no other account of the shared platform has. */
const newName = () => newId("name", (size) => crypto.getRandomValues(new Uint8Array(size)));

/** Runs a command that must be refused, and returns the line on stderr. */
async function refusal(line: string, env?: Record<string, string>): Promise<string> {
  const { status, out, err } = await admin(line, env);
  expect({ status, out }).toEqual({ status: 1, out: "" });
  expect(err).toMatch(/^error: [^\n]+\n$/);
  return err;
}

/** The member whom a printed link signs in. */
async function memberOf(printed: string) {
  const [, token = ""] = LINK.exec(printed) ?? [];
  return memberOfLink(stack.databases.portal, token);
}

test("account create --admin-email creates an admin who can sign in, or creates no account", async () => {
  const created = await json("account create --name Globex --admin-email Ada@Example.com");
  expect(created).toMatchObject({ name: "Globex", admin: { email: "ada@example.com" } });
  expect(await memberOf(created.admin.url)).toMatchObject({ email: "ada@example.com", role: "admin" });
  expect(await json(`member list --account ${created.id}`)).toMatchObject([{ role: "admin" }]);
  const name = newName();
  const create = `account create --name ${name} --admin-email`;
  expect(await refusal(`${create} ada`)).toContain("email");
  expect(await refusal(`${create} ""`)).toContain("email");
  expect(await refusal(`${create} a@b.example`, {})).toContain("Set PUBLIC_URL.");
  const gone = { PUBLIC_URL, PORTAL_URL: "http://127.0.0.1:1" };
  expect(await refusal(`${create} a@b.example`, gone)).toContain("portal at http://127.0.0.1:1");
  expect((await admin("account list")).out).not.toContain(name);
});

test("the commands that the chart prints after an installation create an account, an admin who can sign in, and a key", async () => {
  const notes = readFileSync(join(import.meta.dirname, "../../deploy/chart/templates/NOTES.txt"), "utf8");
  const customer = newName();
  const own = (line: string) => line.replace("First customer", customer);
  const [withAdmin = "", alone = "", key = "", ...others] = [...notes.matchAll(/ -- admin (.*)/g)].map(([, line]) =>
    own(line!),
  );
  expect([withAdmin.includes("--admin-email"), alone.includes("--admin-email"), others]).toEqual([true, false, []]);
  expect(await memberOf((await admin(withAdmin)).out)).toMatchObject({ email: "you@example.com", role: "admin" });
  expect((await admin(key)).out).toMatch(/service_test_/);
  expect(await admin(alone, {})).toMatchObject({ status: 0, err: "" });
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

  test("list says who has been invited and whether the email was sent", async () => {
    const account = await newAccount();
    await json(`member add --account ${account} --email ada@example.com`);
    await json(`member add --account ${account} --email bob@example.com`);
    const invited = { email: "bob@example.com", at: "2026-01-02T03:04:05Z", mail: "failed" } as const;
    await markInvited(stack.databases.portal, account, invited);
    const { out } = await admin(`member list --account ${account}`);
    expect(out).toMatch(
      /^EMAIL +ROLE +ADDED +STATUS\nada@example\.com +admin +\S+Z +active\nbob@\S+ +admin +\S+Z +invited 2026-01-02T03:04:05\.000Z; email not sent\n$/,
    );
  });

  test("remove takes the member away, links and all", async () => {
    const account = await newAccount();
    await json(`member add --account ${account} --email ada@example.com --role viewer`);
    const { url } = await json(`sign-in-link --account ${account} --email ada@example.com`);
    expect(await json(`member remove --account ${account} --email ada@example.com`)).toMatchObject({
      email: "ada@example.com",
    });
    expect(await json(`member list --account ${account}`)).toEqual([]);
    expect(await memberOf(url)).toBeUndefined();
  });

  test("is refused twice in one account, without an account, and without an email address", async () => {
    const account = await newAccount();
    const add = `member add --account ${account} --email ada@example.com`;
    await json(add);
    expect(await refusal(add)).toContain("already");
    expect(await refusal("member add --account acc_none --email a@b.c")).toContain("acc_none");
    expect(await refusal(`member add --account ${account} --email nobody`)).toContain("nobody");
    expect(await refusal(`member add --account ${account} --email a@b.c --role owner`)).toContain("admin or viewer");
  });
});

describe("sign-in-link", () => {
  test("is the first administrator's unless an email is named, and ends in 15 minutes", async () => {
    const account = await newAccount();
    await json(`member add --account ${account} --email viewer@example.com --role viewer`);
    await json(`member add --account ${account} --email ada@example.com`);
    const link = await json(`sign-in-link --account ${account}`);
    expect(link).toMatchObject({ email: "ada@example.com" });
    expect(link.url).toMatch(LINK);
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
    expect(await refusal(`sign-in-link --account ${account}`)).toContain("member add");
    await json(`member add --account ${account} --email ada@example.com`);
    expect(await refusal(`sign-in-link --account ${account}`, {})).toContain("PUBLIC_URL");
  });
});

describe("--account", () => {
  const commands = [
    ...["member add --email ada@example.com", "member list", "sign-in-link"],
    ...["member add --email bob@example.com", "member remove --email bob@example.com"],
  ];

  test("takes the ID or the name of an account", async () => {
    const name = newName();
    const { id } = await json(`account create --name ${name}`);
    for (const command of commands) {
      const { status, err } = await admin(`${command} --account ${command.includes("bob") ? id : name}`);
      expect([command, status, err]).toEqual([command, 0, ""]);
    }
  });

  test("refuses a name that several have, with their IDs, in one line", async () => {
    const name = newName();
    const twins = await Promise.all([1, 2].map(async () => (await json(`account create --name ${name}`)).id));
    for (const command of commands) {
      const said = await refusal(`${command} --account ${name}`);
      for (const id of twins) expect(said).toContain(id);
    }
  });
});
