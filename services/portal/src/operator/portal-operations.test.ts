import { createClient } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import type { Finding } from "@shipping/kit/service/finding";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { accessUnderTest } from "../testing/access-under-test.js";
import { portalDatabase } from "../testing/portal-database.js";
import { portalOperationsRoutes } from "./portal-operations.js";

const findings: Finding[] = [
  {
    part: "mail server",
    ok: true,
    says: "answering at mail.example:465",
    encryption: {
      encrypted: true,
      protocol: "TLSv1.3",
      certificate: { subject: "CN=mail", issuer: "CN=us", verified: true },
    },
  },
  { part: "sign-in provider", ok: false, says: "not reachable", advice: "Check OIDC_ISSUER." },
];

const gateway = accessUnderTest();
let database: Awaited<ReturnType<typeof portalDatabase>>;
let portal: ReturnType<typeof startPortal>;
beforeAll(async () => {
  database = await portalDatabase();
  portal = startPortal();
});
afterAll(() => database.drop());

function startPortal() {
  const serverChecks = findings.map((finding) => async () => finding);
  const transport = inProcess(
    (router) => portalOperationsRoutes(router, { ...database, access: gateway.access, serverChecks }),
    silentLog(),
  );
  return createClient(PortalOperationsService, transport);
}

const origin = "https://ship.example";
const newAccount = () => gateway.change("account.created");
const add = (accountId: string, email: string, role = "admin") => portal.addMember({ accountId, email, role });

/** The code and the message with which a call is refused. */
async function refusal(call: Promise<unknown>) {
  const failure = failureIn(await call.then(() => undefined).catch((error: unknown) => error));
  return [failure?.code, failure?.message];
}

test("adds, lists and removes members in the name of the operator", async () => {
  const accountId = newAccount();
  const { member } = await add(accountId, " Ada@Example.com");
  expect(member).toMatchObject({ email: "ada@example.com", role: "admin", bound: false });
  expect(member).not.toMatchObject({ invitedAt: expect.anything() });
  await add(accountId, "bob@example.com", "viewer");
  const invitedAt = new Date("2026-01-02T03:04:05.678Z");
  await database.prisma.accountMember.update({
    where: { accountId_email: { accountId, email: "bob@example.com" } },
    data: { invitedAt, invitationMail: "waiting" },
  });
  const { members } = await portal.listMembers({ accountId });
  expect(members).toMatchObject([
    { id: member?.id, email: "ada@example.com" },
    { email: "bob@example.com", role: "viewer", invitedAt: invitedAt.toISOString(), invitationMail: "waiting" },
  ]);
  expect(await portal.removeMember({ accountId, email: "BOB@example.com" })).toMatchObject({
    id: members[1]?.id,
    email: "bob@example.com",
  });
  const entries = await database.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { at: "asc" } });
  expect(entries.map(({ actor, action, source }) => [actor, action, source])).toEqual([
    ["operator", "member.added", "command line"],
    ["operator", "member.added", "command line"],
    ["operator", "member.removed", "command line"],
  ]);
});

test("creates a link for a member, or else for the first admin", async () => {
  const accountId = newAccount();
  await add(accountId, "viewer@example.com", "viewer");
  await add(accountId, "ada@example.com");
  const first = await portal.createSignInLink({ accountId, origin });
  expect(first.email).toBe("ada@example.com");
  expect(first.url).toMatch(/^https:\/\/ship\.example\/developers\/sign-in\/link#[\w-]{43}$/);
  expect(Date.parse(first.expiresAt) - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  const named = await portal.createSignInLink({ accountId, email: "Viewer@example.com", origin });
  expect(named.email).toBe("viewer@example.com");
});

test("an account that is being erased can lose its last admin", async () => {
  const accountId = newAccount();
  await add(accountId, "ada@example.com");
  const remove = () => portal.removeMember({ accountId, email: "ada@example.com" });
  expect(await refusal(remove())).toEqual(["invalid_request", expect.stringContaining("the last admin")]);
  await portal.beginErasing({ accountId });
  const since = () => database.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  const { erasingSince } = await since();
  await portal.beginErasing({ accountId });
  expect((await since()).erasingSince).toEqual(erasingSince);
  await remove();
  expect((await portal.listMembers({ accountId })).members).toEqual([]);
});

test("reports what the checks of its servers have found", async () => {
  const answer = await portal.checkServers({});
  expect(answer.findings).toMatchObject(findings);
});

describe("is refused in words for people", () => {
  const unknown = `acc_${"a".repeat(26)}`;
  const long = `${"a".repeat(200)}@example.com`;
  const member = { accountId: unknown, email: "ada@example.com", role: "admin" };
  const link = { accountId: unknown, origin };

  test.each([
    ["an account that is none", () => portal.listMembers({ accountId: "acc_x" }), "account_id must be the ID"],
    ["one to erase that is none", () => portal.beginErasing({ accountId: "x".repeat(9_999) }), "account_id must be"],
    ["an address that is none", () => portal.normalizeEmail({ email: "ada" }), 'Invalid email address: "ada"'],
    ["a long address", () => portal.normalizeEmail({ email: long }), "must have at most 200 characters"],
    ["one to remove", () => portal.removeMember({ accountId: unknown, email: long }), "at most 200 characters"],
    ["one to sign in", () => portal.createSignInLink({ ...link, email: long }), "at most 200 characters"],
    ["a role that is none", () => portal.addMember({ ...member, role: "owner" }), "role must be admin or viewer."],
    ["a path", () => portal.createSignInLink({ ...link, origin: "https://a.example/x" }), "origin must be scheme"],
    ["a script", () => portal.createSignInLink({ ...link, origin: "javascript:alert(1)" }), "origin must be scheme"],
    ["no URL", () => portal.createSignInLink({ ...link, origin: "https://" }), "origin must be scheme"],
  ])("%s", async (_case, call, says) => {
    expect(await refusal(call())).toEqual(["invalid_request", expect.stringContaining(says)]);
  });

  test("an address in normal form is answered, so that a command can check it before it changes anything", async () => {
    expect((await portal.normalizeEmail({ email: "Ada@EXAMPLE.com." })).email).toBe("ada@example.com");
  });

  test("an account that does not exist", async () => {
    expect(await refusal(portal.addMember(member))).toEqual(["not_found", expect.stringContaining("No such account")]);
  });

  test("a member who is there already, and ones who are not", async () => {
    const accountId = newAccount();
    await add(accountId, "ada@example.com");
    expect(await refusal(add(accountId, "ada@example.com"))).toEqual([
      "invalid_request",
      `ada@example.com is a member of ${accountId} already.`,
    ]);
    const hint = expect.stringContaining(`To add one, run member add --account ${accountId} --email E.`);
    expect(await refusal(portal.removeMember({ accountId, email: "bob@example.com" }))).toEqual(["not_found", hint]);
    expect(await refusal(portal.createSignInLink({ accountId, email: "bob@example.com", origin }))).toEqual([
      "not_found",
      hint,
    ]);
    const empty = newAccount();
    expect(await refusal(portal.createSignInLink({ accountId: empty, origin }))).toEqual([
      "not_found",
      `${empty} has no admin. To add one, run member add --account ${empty} --email E.`,
    ]);
  });
});
