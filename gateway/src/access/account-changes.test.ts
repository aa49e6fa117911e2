import { create } from "@bufbuild/protobuf";
import {
  AcknowledgeChangesRequestSchema,
  ListChangesRequestSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import { expireChangesOnce, readWaitingChanges } from "../accounts/keep-changes.js";
import { beginErasing, createAccount, endErasing, setSuspended } from "../accounts/manage-accounts.js";
import { createKey, revokeKey } from "../accounts/manage-keys.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { acknowledgeChanges, listChanges } from "./account-changes.js";

const DAY = 86_400_000;

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeEach(async () => {
  gateway = await gatewayDatabase();
});
afterEach(() => gateway.drop());

const deps = (clockOffsetMs = 0) => ({ db: gateway.db, clockOffsetMs });
const list = (asked: { since?: string; after?: string } = {}) =>
  listChanges(deps(), create(ListChangesRequestSchema, asked));
const acknowledge = (ids: string[], at = 0) =>
  acknowledgeChanges(deps(at), create(AcknowledgeChangesRequestSchema, { ids }));
const actions = async (asked?: { since?: string; after?: string }) =>
  (await list(asked)).changes.map(({ action }) => action).sort();

test("a change has its line and the account as it is now", async () => {
  const { id } = await createAccount(gateway.admin, { name: "Acme" });
  const key = await createKey(gateway.admin, {
    accountId: id,
    environment: "live",
    name: "Shop",
    scopes: ["orders:read"],
  });
  await revokeKey(gateway.admin, { id: key.id });
  await setSuspended(gateway.admin, id, true);
  const { changes } = await list();
  const account = { id, name: "Acme", suspendedAt: expect.any(String) };
  const actor = { name: "operator", source: "command line" };
  const about = { environment: "", subject: id, detail: "" };
  const ofKey = { environment: "live", subject: key.id, detail: `Shop, ends in ${key.key.slice(-4)}` };
  const said = changes.map(({ action, environment, subject, detail }) => ({ action, environment, subject, detail }));
  expect(said.toSorted((one, other) => one.action.localeCompare(other.action))).toEqual([
    { ...about, action: "account.created", detail: "Acme" },
    { ...about, action: "account.suspended" },
    { ...ofKey, action: "key.created", detail: `${ofKey.detail}: orders:read` },
    { ...ofKey, action: "key.revoked" },
  ]);
  expect(changes).toMatchObject(changes.map(() => ({ account, actor })));
});

test("changes are listed until they are acknowledged, a hundred at a time", async () => {
  const { id } = await createAccount(gateway.admin, { name: "Acme" });
  for (let n = 0; n < 110; n++) await setSuspended(gateway.admin, id, n % 2 === 0);
  expect(await readWaitingChanges(deps())).toMatchObject({ waiting: 111 });
  const first = await list();
  expect(first.changes).toHaveLength(100);
  expect((await list()).changes).toEqual(first.changes);
  expect((await list({ after: first.changes.at(-1)!.id })).changes).toHaveLength(11);
  await acknowledge(first.changes.map((change) => change.id));
  expect((await list()).changes).toHaveLength(11);
  expect(await readWaitingChanges(deps())).toMatchObject({ waiting: 11 });
  const others = (await list()).changes.map((change) => change.id);
  await Promise.all([acknowledge(others), acknowledge([...others, "aud_unknown"]), acknowledge(others.toReversed())]);
  expect((await list()).changes).toEqual([]);
});

test("with since, those acknowledged from then on are listed again", async () => {
  await createAccount(gateway.admin, { name: "Acme" });
  const { changes, readAt } = await list();
  await acknowledge(changes.map(({ id }) => id));
  expect(await actions()).toEqual([]);
  expect(await actions({ since: readAt })).toEqual(["account.created"]);
  expect(await actions({ since: (await list()).readAt })).toEqual([]);
});

test("nobody can remove a line before it is seven days old: acknowledging it again or later moves nothing", async () => {
  await createAccount(gateway.admin, { name: "Acme" });
  const ids = (await list()).changes.map(({ id }) => id);
  await acknowledge(ids);
  await acknowledge(ids, -30 * DAY);
  const expired = (at: number) => expireChangesOnce({ ...deps(at), auditRetentionDays: 400 });
  expect(await expired(7 * DAY - 60_000)).toMatchObject({ acknowledged: 0 });
  await acknowledge(ids, 6 * DAY);
  expect(await expired(7 * DAY + 60_000)).toMatchObject({ acknowledged: 1 });
});

test("lines that nobody reads are deleted after the time of the audit log, and acts of operators, too", async () => {
  await createAccount(gateway.admin, { name: "Acme" });
  await gateway.db.run(sql`
    INSERT INTO operator_acts (id, at, operator, host, command, arguments, outcome) VALUES ('act', now(), '', '', '', '', 'done')`);
  const expired = (at: number) => expireChangesOnce({ ...deps(at), auditRetentionDays: 30 });
  expect(await expired(29 * DAY)).toEqual({ acknowledged: 0, unread: 0, acts: 0 });
  expect(await expired(31 * DAY)).toEqual({ acknowledged: 0, unread: 1, acts: 1 });
});

test("the line of an erasure stays when the account's data is gone, and says so to a portal that is restored later", async () => {
  const { id } = await createAccount(gateway.admin, { name: "Acme" });
  await setSuspended(gateway.admin, id, true);
  await beginErasing(gateway.admin, id);
  await gateway.erase(id);
  await endErasing(gateway.admin, id);
  const { changes } = await list();
  expect(changes).toMatchObject([
    { action: "account.erasing", account: { id, name: "", erasingSince: expect.any(String) } },
  ]);
});

test.each([
  ["since", () => list({ since: "yesterday" }), "since is not a time."],
  ["ids", () => acknowledge(Array(101).fill("aud_1")), "At most 100 changes can be acknowledged at once."],
])("a wrong value of %s is refused", async (_, call, message) => {
  await expect(call()).rejects.toMatchObject({ code: "invalid_request", message });
});
