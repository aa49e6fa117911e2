import { randomBytes } from "node:crypto";
import { type Client, createClient, createRouterTransport } from "@connectrpc/connect";
import { type Caller, requireCaller, requireClaim } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { inProcess } from "@shipping/kit/rpc/server";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { type CreateOrderRequest, RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { createAccount } from "../accounts/manage-accounts.js";
import type { ApiDeps } from "../api/deps.js";
import { type Idempotency, startIdempotency } from "../idempotency/execute-once.js";
import { createClients } from "../service-clients/clients.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { order } from "../testing/gateway-under-test.js";
import { ownerUnderTest } from "../testing/owner-under-test.js";
import { accessRoutes } from "./routes.js";

const author = { name: "ada@example.com", source: "192.0.2.1" };
let database: Awaited<ReturnType<typeof gatewayDatabase>>;
let owner: Awaited<ReturnType<typeof ownerUnderTest>>;
let idempotency: Idempotency;
let access: Client<typeof AccessService>;
let caller: Caller;
const created: CreateOrderRequest[] = [];
const log = silentLog();

beforeAll(async () => {
  [database, owner] = await Promise.all([gatewayDatabase(), ownerUnderTest()]);
  const records = createRouterTransport((router) =>
    router.service(RecordsService, {
      async createOrder(request) {
        created.push(request);
        return { outcome: await owner.write(requireCaller(request), requireClaim(request), request.reference) };
      },
    }),
  );
  const clients = createClients({ records, carrier: records, tracking: records, webhooks: records });
  const ledgers = { ...clients.ledgers, records: owner.client };
  const shared = { db: database.db, log, random: randomBytes, clockOffsetMs: 0, clients: { ...clients, ledgers } };
  idempotency = startIdempotency(shared);
  const api = { ...shared, idempotency } as unknown as ApiDeps;
  const metrics = createMetrics({ part: "gateway", log });
  const reading = { ...database.admin, ...shared, metrics, requestsPerMinute: 120, requestLogDays: 7 };
  access = createClient(AccessService, inProcess(accessRoutes(reading, api), log));
});
beforeEach(async () => {
  created.length = 0;
  caller = { accountId: (await createAccount(database.admin, { name: "Acme" })).id, environment: "sandbox" };
});
afterAll(async () => {
  await idempotency.stop();
  await Promise.all([database.drop(), owner.drop()]);
});

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

interface Given {
  caller?: Caller;
  actor?: { name: string; source: string };
  operation?: string;
  id?: string;
  body?: Uint8Array;
  idempotencyKey?: string;
}

function execute(given: Given = {}) {
  return access.executeWrite(
    {
      caller,
      actor: { name: "ada@example.com", source: "192.0.2.1" },
      operation: "createOrder",
      body: json(order),
      idempotencyKey: "developer-area:form_a",
      ...given,
    },
    { timeoutMs: 10_000, headers: { "x-request-id": "req_a" } },
  );
}

/** The refusal of a write, which must not reach its owner. */
async function refusalOf(given: Given) {
  const error = await execute(given).then(() => undefined, failureIn);
  expect(created).toEqual([]);
  return error && { code: error.code, message: error.message, fields: error.fields };
}

test("a member's write is executed once for its key, in the member's name", async () => {
  const { snapshot: first } = await execute();
  const { snapshot: second } = await execute();
  expect([first?.status, first?.replayed, second?.replayed]).toEqual([201, false, true]);
  expect(second?.body).toEqual(first?.body);
  expect(created).toHaveLength(1);
  expect(created[0]?.claim).toMatchObject({
    idempotencyKey: "developer-area:form_a",
    requestedBy: "ada@example.com",
    requestId: "req_a",
  });
});

test("a member's write leaves one line in the gateway's database, which says what was written, and a repeated one none", async () => {
  await execute();
  await execute();
  const lines = await database.db.run(sql`
    SELECT actor, action, environment, detail, source FROM account_changes
    WHERE account_id = ${caller.accountId} AND action <> 'account.created'`);
  expect(lines).toEqual([
    {
      actor: author.name,
      action: "member.wrote",
      environment: "sandbox",
      detail: "POST /orders",
      source: author.source,
    },
  ]);
});

test("an invalid body is refused with each field, as the API does", async () => {
  const { reference: _, ...rest } = order;
  expect(await refusalOf({ body: json({ ...rest, extra: 1 }) })).toEqual({
    code: "invalid_request",
    message: expect.stringContaining("reference: "),
    fields: [
      expect.objectContaining({ path: "reference" }),
      { path: "extra", message: "is not a known field: remove it" },
    ],
  });
});

test.each(["suspended_at = now()", "suspended_at = now(), erasing_since = now()", "erasing_since = now()"])(
  "an account with %s executes no writes",
  async (change) => {
    await database.db.pool.query(`UPDATE accounts SET ${change} WHERE id = $1`, [caller.accountId]);
    const refused = { code: "not_found", message: "This account does not exist, is suspended, or is being erased." };
    expect(await refusalOf({})).toMatchObject(refused);
    expect(created).toEqual([]);
    expect(await refusalOf({ idempotencyKey: "developer-area:another" })).toMatchObject(refused);
    const claimed = await database.db.run(
      sql`SELECT FROM idempotency_registry WHERE account_id = ${caller.accountId} AND idempotency_key = 'developer-area:another'`,
    );
    expect(claimed).toEqual([]);
  },
);

const long = (length: number) => "x".repeat(length);

test.each<[string, Given, object]>([
  ["an unknown account", { caller: { accountId: "acc_none", environment: "sandbox" } }, { code: "not_found" }],
  ["an unknown operation", { operation: "createNothing" }, { fields: [{ path: "operation" }] }],
  ["a read", { operation: "getOrder" }, { fields: [{ path: "operation" }] }],
  ["the name of a property of every object", { operation: "constructor" }, { fields: [{ path: "operation" }] }],
  ["no key", { idempotencyKey: "" }, { fields: [{ path: "idempotency_key" }] }],
  ["the key of a request of the API", { idempotencyKey: "order-1" }, { fields: [{ path: "idempotency_key" }] }],
  ["a long key", { idempotencyKey: `developer-area:${long(114)}` }, { fields: [{ path: "idempotency_key" }] }],
  ["a key that is not printable", { idempotencyKey: "developer-area:a\n" }, { fields: [{ path: "idempotency_key" }] }],
  ["a long ID", { id: long(101) }, { fields: [{ path: "id" }] }],
  ["no author", { actor: { ...author, name: "" } }, { fields: [{ path: "actor" }] }],
  ["a long author", { actor: { ...author, name: long(321) } }, { fields: [{ path: "actor" }] }],
  ["a long source", { actor: { ...author, source: long(321) } }, { fields: [{ path: "actor" }] }],
  ["a large body", { body: Buffer.alloc(65_537, " ") }, { code: "payload_too_large" }],
  ["a body that is not JSON", { body: Buffer.from("{") }, { code: "invalid_json" }],
  ["a body that is not UTF-8", { body: Buffer.from([0xff]) }, { code: "invalid_json" }],
])("refuses %s", async (_name, given, expected) => {
  expect(await refusalOf(given)).toMatchObject(expected);
});

test("a write that needs a carrier is refused in live", async () => {
  const live = { ...caller, environment: "live" } as const;
  expect(await refusalOf({ caller: live, operation: "quoteRates", body: json({}) })).toMatchObject({
    code: "carrier_not_configured",
  });
});
