import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { newId } from "@shipping/kit/ids";
import { ListKeysRequestSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import { listKeys } from "../access/read-keys.js";
import { minutesFromNow, SKEWED_CLOCKS } from "../testing/clocks.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { inviteAgain, inviteMember } from "./invite-members.js";
import { createAccount, readUsage } from "./manage-accounts.js";
import { createKey, revokeKey } from "./manage-keys.js";
import { addMember, createSignInLink } from "./manage-members.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const origin = "https://ship.example";
const ADA = { name: "ada@example.com", source: "192.0.2.1" };
const WEEK_MINUTES = 7 * 24 * 60;
const newAccount = async () => (await createAccount(gateway.admin, { name: "Acme" })).id;
const newFormId = () => newId("form", randomBytes);

describe.each(SKEWED_CLOCKS)("on a gateway whose clock is %s, by the database's", (_, now) => {
  const skewed = () => ({ ...gateway.admin, now });

  test("a link signs in for 15 minutes", async () => {
    const accountId = await newAccount();
    await addMember(gateway.admin, { accountId, email: "ada@example.com", role: "admin" });
    const { expiresAt } = await createSignInLink(skewed(), { accountId, origin });
    expect(minutesFromNow(expiresAt)).toBe(15);
  });

  test("an invitation is good for seven days, and for seven more when it is sent again", async () => {
    const accountId = await newAccount();
    const wanted = { accountId, email: "bob@example.com", role: "viewer", origin } as const;
    const { id, expiresAt } = await inviteMember(skewed(), { ...wanted, formId: newFormId() }, ADA);
    expect(minutesFromNow(expiresAt)).toBe(WEEK_MINUTES);
    const again = await inviteAgain(skewed(), { accountId, id, origin, formId: newFormId() }, ADA);
    expect(minutesFromNow(again.expiresAt)).toBe(WEEK_MINUTES);
    const { invitedAt } = await gateway.prisma.accountMember.findUniqueOrThrow({ where: { id } });
    expect(minutesFromNow(invitedAt!)).toBe(0);
  });

  test("a key expires when it was said to, in the list and for the operator, too", async () => {
    const accountId = await newAccount();
    const wanted = { accountId, environment: "sandbox" } as const;
    const { id, expiresAt } = await createKey(skewed(), { ...wanted, expiresInMs: 3 * 60_000 });
    expect(minutesFromNow(expiresAt!)).toBe(3);
    const page = create(ListKeysRequestSchema, { caller: wanted, limit: 10 });
    const { keys } = await listKeys({ ...skewed(), clockOffsetMs: 0 }, page);
    expect(keys).toMatchObject([{ id, active: true }]);
    await createKey(skewed(), { ...wanted, expiresInMs: -3 * 60_000 });
    expect(await readUsage(skewed(), accountId)).toMatchObject([
      { kind: "keys active", count: 1 },
      { kind: "keys expired", count: 1 },
      { kind: "members", count: 0 },
    ]);
  });
});

test("the audit log has changes in their order, whichever gateways made them", async () => {
  const accountId = await newAccount();
  const [behind, ahead] = SKEWED_CLOCKS.map(([, now]) => ({ ...gateway.admin, now }));
  const { id } = await createKey(ahead!, { accountId, environment: "sandbox" });
  await revokeKey(behind!, { id });
  const entries = await gateway.prisma.auditEntry.findMany({ where: { accountId } });
  const timeOf = (action: string) => entries.find((entry) => entry.action === action)?.at.getTime();
  expect(timeOf("key.revoked")).toBeGreaterThanOrEqual(timeOf("key.created") ?? Number.POSITIVE_INFINITY);
});
