import { randomBytes } from "node:crypto";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { fail, toConnectError } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { rowsIn } from "@shipping/kit/testing/rows";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import { executeOnce } from "../idempotency/execute-once.js";
import { idempotencyUnderTest, lost, paused } from "../testing/idempotency-under-test.js";
import { expireChangesOnce } from "./keep-changes.js";
import { createAccount } from "./manage-accounts.js";
import { insertOpenVoid, type OpenVoid, openVoid, settleVoid, settleVoidsOnce } from "./settle-changes.js";

const AT = "2026-03-01T10:00:00.000Z";
const ADA = { name: "ada@example.com", source: "192.0.2.1" };
const BOB = { name: "bob@example.com", source: "192.0.2.2" };

let under: Awaited<ReturnType<typeof idempotencyUnderTest>>;
beforeAll(async () => {
  under = await idempotencyUnderTest();
});
afterAll(() => under.end());

/** The labels of the carrier, by who has voided them; null if nobody has. */
const labels = new Map<string, string | null>();
let isAway = false;
const carrier = createClient(
  CarrierService,
  createRouterTransport(({ service }) => {
    service(CarrierService, {
      getLabel({ id }) {
        if (isAway) throw new ConnectError("connection refused", Code.Unavailable);
        const requestedBy = labels.get(id);
        if (requestedBy === undefined) throw toConnectError(fail("not_found", "No such label."));
        const data = { id, tracking_number: `T ${id}`, ...(requestedBy && { voided_at: AT }) };
        return { data: Buffer.from(JSON.stringify(data)), ...(requestedBy && { voided: { requestedBy } }) };
      },
    });
  }),
);

const deps = () => ({
  db: under.gateway.db,
  log: silentLog(),
  random: randomBytes,
  clockOffsetMs: 0,
  clients: { carrier },
});
const later = (ms: number) => ({ ...deps(), clockOffsetMs: ms });

async function newCaller(): Promise<Caller> {
  const admin = { ...deps(), now: () => new Date(), prisma: under.prisma };
  return { accountId: (await createAccount(admin, { name: "Acme" })).id, environment: "live" };
}

/** A void that a member asks for, and its execution by the owner, which then has the label voided by that member unless it is already. */
function asked(caller: Caller, labelId: string, actor = ADA, idempotencyKey = "form") {
  const open = openVoid(deps(), { caller, actor, labelId });
  const wanted = under.request(labelId, {
    caller,
    idempotencyKey,
    member: { account: sql`SELECT`, recorded: insertOpenVoid(deps(), open) },
  });
  const send: typeof wanted.send = async (...args) => {
    const outcome = await wanted.send(...args);
    if (labels.get(labelId) === null) labels.set(labelId, actor.name);
    return outcome;
  };
  return { open, request: { ...wanted, send } };
}

function newLabel(voidedBy: string | null = null): string {
  const id = newId("lbl", randomBytes);
  labels.set(id, voidedBy);
  return id;
}

const linesOf = async ({ accountId }: Caller) =>
  (
    await rowsIn<Record<string, unknown>>(under.gateway.db, "account_changes", { accountId, action: "label.voided" })
  ).map(({ id, actor, subject, detail, at, checkAt }) =>
    checkAt ? "open" : { id, actor, subject, detail, at: (at as Date).toISOString() },
  );

const lineOf = (labelId: string, actor = ADA) => ({
  id: `aud_${labelId.slice(4)}`,
  actor: actor.name,
  subject: labelId,
  detail: `T ${labelId}`,
  at: AT,
});

const execute = async ({ request, open }: { request: Parameters<typeof executeOnce>[1]; open: OpenVoid }) => {
  await executeOnce(under.gateway, request);
  await settleVoid(deps(), open);
};

test("a void leaves one line, with the time of the void and the number of the label, however often the form is sent", async () => {
  const [caller, labelId] = [await newCaller(), newLabel()];
  const [first, again] = [asked(caller, labelId), asked(caller, labelId)];
  await execute(first);
  await execute(again);
  await execute(asked(caller, labelId, ADA, "another form"));
  expect(await linesOf(caller)).toEqual([lineOf(labelId)]);
});

test("of two members at once, only the one who has voided the label has a line", async () => {
  const [caller, labelId] = [await newCaller(), newLabel()];
  await Promise.all([execute(asked(caller, labelId)), execute(asked(caller, labelId, BOB, "his form"))]);
  const done = labels.get(labelId) === ADA.name ? ADA : BOB;
  expect(await linesOf(caller)).toEqual([lineOf(labelId, done)]);
});

test.each([
  ["a label that another has voided", () => newLabel("key_1")],
  ["a label that does not exist", () => "lbl_gone"],
])("a void of %s leaves no line", async (_, label) => {
  const [caller, labelId] = [await newCaller(), label()];
  await execute(asked(caller, labelId));
  expect(await linesOf(caller)).toEqual([]);
});

describe("a process that is killed", () => {
  test("after the claim, before the write: no line, until the form is sent again", async () => {
    const [caller, labelId] = [await newCaller(), newLabel()];
    const killed = paused(asked(caller, labelId).request);
    const answer = executeOnce(under.gateway, killed.request);
    await killed.reached;
    expect(await linesOf(caller)).toEqual(["open"]);
    expect(await settleVoidsOnce(later(11_000))).toMatchObject({ settled: 0 });
    expect(await linesOf(caller)).toEqual(["open"]);
    killed.release();
    await answer;
    expect(await settleVoidsOnce(later(60_000))).toMatchObject({ settled: 1, left: 0 });
    expect(await linesOf(caller)).toEqual([lineOf(labelId)]);
  });

  test("after the write, before its answer: the worker writes the line, and the form that is sent again none", async () => {
    const [caller, labelId] = [await newCaller(), newLabel()];
    const { request } = asked(caller, labelId);
    const send: typeof request.send = async (...args) => {
      await request.send(...args);
      throw lost();
    };
    await expect(executeOnce(under.gateway, { ...request, send })).rejects.toThrow();
    expect(await linesOf(caller)).toEqual(["open"]);
    const again = asked(caller, labelId);
    await execute(again);
    expect(await linesOf(caller)).toEqual([lineOf(labelId)]);
    expect(await settleVoidsOnce(later(60_000))).toEqual({ settled: 0, left: 0 });
  });

  test("after the answer, before the line: the worker writes it, once for several workers", async () => {
    const [caller, labelId] = [await newCaller(), newLabel()];
    await executeOnce(under.gateway, asked(caller, labelId).request);
    isAway = true;
    expect(await settleVoidsOnce(later(11_000))).toEqual({ settled: 0, left: 1 });
    isAway = false;
    const ends = await Promise.all([1, 2, 3].map(() => settleVoidsOnce(later(60_000))));
    expect(ends.reduce((sum, { settled }) => sum + settled, 0)).toBe(1);
    expect(await linesOf(caller)).toEqual([lineOf(labelId)]);
  });
});

test("a refused void leaves an open line that nobody reads, is checked ever less often, and goes in the end", async () => {
  const [caller, labelId] = [await newCaller(), newLabel()];
  const { request } = asked(caller, labelId);
  const refused = { ...request, send: () => Promise.reject(fail("label_voided")) };
  await expect(executeOnce(under.gateway, refused)).rejects.toMatchObject({ code: "label_voided" });
  const checked = async (seconds: number) => (await settleVoidsOnce(later(seconds * 1_000))).left;
  expect([await checked(11), await checked(15), await checked(23), await checked(30), await checked(50)]).toEqual([
    1, 0, 1, 0, 1,
  ]);
  const day = 86_400_000;
  await expireChangesOnce({ ...later(399 * day), auditRetentionDays: 400 });
  expect(await linesOf(caller)).toEqual(["open"]);
  await expireChangesOnce({ ...later(401 * day), auditRetentionDays: 400 });
  expect(await linesOf(caller)).toEqual([]);
});

test("an account that is being erased gets no line", async () => {
  const [caller, labelId] = [await newCaller(), newLabel()];
  const { request, open } = asked(caller, labelId);
  await executeOnce(under.gateway, request);
  await under.gateway.db.pool.query("UPDATE accounts SET erasing_since = now() WHERE id = $1", [caller.accountId]);
  await settleVoid(deps(), open);
  expect(await linesOf(caller)).toEqual([]);
});
