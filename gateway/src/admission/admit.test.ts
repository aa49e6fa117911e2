import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS, openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import sql from "sql-template-tag";
import { setSuspended } from "../accounts/manage-accounts.js";
import { revokeKey } from "../accounts/manage-keys.js";
import { claimKey } from "../idempotency/registry.js";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { type AdmitDeps, createAdmit } from "./admit.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const at = (seconds: number, requestsPerMinute = 120): AdmitDeps => ({
  db: gateway.db,
  requestsPerMinute,
  clockOffsetMs: seconds * 1_000,
});

const admit = (deps: AdmitDeps, keyHash: Buffer, idempotencyKey?: string) =>
  createAdmit(deps)({ keyHash, idempotencyKey });

const countedRequests = async (keyId: string) => {
  const [window] = await gateway.db.run<{ counters: number[] }>(
    sql`SELECT counters FROM rate_windows WHERE key_id = ${keyId}`,
  );
  return window?.counters.reduce((sum, count) => sum + count);
};

describe("authentication", () => {
  test("the key's account, environment and scopes", async () => {
    const key = await gateway.newKey({ environment: "live", scopes: ["orders:read", "orders:write"] });
    expect(await admit(at(0), key.hash)).toEqual({
      keyId: key.id,
      caller: { accountId: key.accountId, environment: "live" },
      accountName: "Acme",
      scopes: ["orders:read", "orders:write"],
      within: true,
      remaining: 119,
      resetSeconds: 60,
    });
  });

  test("undefined if the key is unknown, and from the moment it expires", async () => {
    expect(await admit(at(0), Buffer.alloc(32))).toBeUndefined();
    const { hash } = await gateway.newKey({ expiresInMs: 60_000 });
    expect(await admit(at(0), hash)).toBeDefined();
    expect(await admit(at(60), hash)).toBeUndefined();
  });

  test("undefined after the key was revoked, and the request is not counted", async () => {
    const { id, hash } = await gateway.newKey();
    await admit(at(0), hash);
    await revokeKey(gateway.admin, { id });
    expect(await admit(at(0), hash)).toBeUndefined();
    expect(await countedRequests(id)).toBe(1);
  });

  test("undefined while the account is suspended, and the request is not counted", async () => {
    const { id, hash, accountId } = await gateway.newKey();
    await setSuspended(gateway.admin, accountId, true);
    expect(await admit(at(0), hash)).toBeUndefined();
    expect(await countedRequests(id)).toBe(0);
    await setSuspended(gateway.admin, accountId, false);
    expect(await admit(at(0), hash)).toMatchObject({ within: true });
  });

  test("the last use is stored to the minute", async () => {
    const { id, hash } = await gateway.newKey();
    const lastUse = async () =>
      (await gateway.prisma.apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt?.getTime();
    expect(await lastUse()).toBeUndefined();
    const before = Date.now();
    await admit(at(0), hash);
    const used = Number(await lastUse());
    expect(used % 60_000).toBe(0);
    expect(used).toBeGreaterThan(before - 60_000);
    expect(used).toBeLessThanOrEqual(Date.now());
    await admit(at(120), hash);
    expect(await lastUse()).toBeGreaterThan(used);
  });

  test("and the key's row is written once a minute", async () => {
    const { id, hash } = await gateway.newKey();
    const version = () => gateway.db.run(sql`SELECT xmin::text FROM api_keys WHERE id = ${id}`);
    const minuteBegins = 60 - (Date.now() % 60_000) / 1_000;
    await admit(at(minuteBegins), hash);
    const written = await version();
    await admit(at(minuteBegins), hash);
    expect(await version()).toEqual(written);
  });
});

describe("the row of the idempotency key", () => {
  const fingerprint = Buffer.alloc(32, 7);
  const idempotencyKey = "order 4711";

  test("is a claim, and whether its lease is valid", async () => {
    const { hash, accountId } = await gateway.newKey();
    const caller = { accountId, environment: "sandbox" as const };
    const token = await claimKey(at(0), { caller, idempotencyKey, fingerprint, owner: "carrier" });
    const row = { fingerprint, owner: "carrier", state: "claimed", token, attempts: 1, leaseLive: true };
    expect((await admit(at(0), hash, idempotencyKey))?.registry).toEqual(row);
    for (const over of [5, -300])
      expect((await admit(at(over), hash, idempotencyKey))?.registry).toEqual({ ...row, leaseLive: false });
  });

  test("is never that of another key, environment or account, and absent without an idempotency key", async () => {
    const { hash, accountId } = await gateway.newKey();
    const live = await gateway.newKey({ accountId, environment: "live" });
    const stranger = await gateway.newKey();
    const caller = { accountId, environment: "sandbox" as const };
    await claimKey(at(0), { caller, idempotencyKey, fingerprint, owner: "records" });
    for (const peek of [
      admit(at(0), hash, `${idempotencyKey} `),
      admit(at(0), hash),
      admit(at(0), live.hash, idempotencyKey),
      admit(at(0), stranger.hash, idempotencyKey),
    ]) {
      const admission = await peek;
      expect(admission?.within).toBe(true);
      expect(admission).not.toHaveProperty("registry");
    }
  });

  test("is a done one, which has no lease", async () => {
    const { hash, accountId } = await gateway.newKey();
    await gateway.db.run(sql`
      INSERT INTO idempotency_registry (account_id, environment, idempotency_key, fingerprint, owner, state, token, attempts)
      VALUES (${accountId}, 'sandbox', ${idempotencyKey}, ${fingerprint}, 'records', 'done', 9, 2)`);
    const row = { fingerprint, owner: "records", state: "done", token: 9n, attempts: 2, leaseLive: false };
    expect((await admit(at(0), hash, idempotencyKey))?.registry).toEqual(row);
  });
});

describe("the statement", () => {
  test("does not deadlock when gateways admit the same keys in opposite order", async () => {
    const hashes = (await Promise.all(Array.from({ length: 30 }, () => gateway.newKey()))).map(({ hash }) => hash);
    const gateways = Array.from({ length: 4 }, () => createAdmit(at(0, 1_000)));
    for (let round = 0; round < 30; round++) {
      const admissions = gateways.flatMap((admitTogether, number) =>
        (number % 2 === 0 ? hashes : hashes.toReversed()).map((keyHash) => admitTogether({ keyHash })),
      );
      expect((await Promise.all(admissions)).filter((admission) => admission?.within)).toHaveLength(120);
    }
  });

  test("does not admit a key that expires while another request holds its window", async () => {
    const { id, hash } = await gateway.newKey({ expiresInMs: 500 });
    const other = await openTransaction(gateway.db);
    await other.query("SELECT FROM rate_windows WHERE key_id = $1 FOR UPDATE", [id]);
    const admission = admit(at(0), hash);
    await eventually(async () => {
      const { rows } = await other.query("SELECT FROM api_keys WHERE id = $1 AND expires_at < clock_timestamp()", [id]);
      expect(rows).toHaveLength(1);
    });
    await other.query("COMMIT");
    other.release();
    expect(await admission).toBeUndefined();
  });

  test("does not wait for the disk, and other statements still do", async () => {
    const { hash } = await gateway.newKey();
    const db = openDatabase(gateway.url, { max: 1, connectMs: CONNECT_MS, log: silentLog() });
    const setting = () => db.run(sql`SHOW synchronous_commit`);
    await db.run(sql`BEGIN`);
    expect(await admit({ ...at(0), db }, hash)).toMatchObject({ within: true });
    expect(await setting()).toEqual([{ synchronous_commit: "off" }]);
    await db.run(sql`COMMIT`);
    await admit({ ...at(0), db }, hash);
    expect(await setting()).toEqual([{ synchronous_commit: "on" }]);
    await db.close();
  });

  test("looks keys up, however many accounts and keys there are, and whatever is known of them", async () => {
    const { db, statements } = watched(gateway.db);
    const keys = [await gateway.newKey(), await gateway.newKey()];
    const admitted = createAdmit({ ...at(0), db });
    for (const together of [keys.slice(0, 1), keys])
      await Promise.all(together.map(({ hash }) => admitted({ keyHash: hash })));
    expect(statements).toHaveLength(2);
    // Only these tables grow. For the others, any plan is right.
    const costly = async () => {
      const nodes = await Promise.all(statements.map((statement) => costlyNodes(gateway.db, statement)));
      return nodes.flat().filter((node) => /api_keys|accounts|hash/.test(node));
    };
    expect(await costly()).toEqual([]);
    await gateway.db.run(sql`
      WITH account AS (
        INSERT INTO accounts (id, name, created_at) SELECT 'acc_' || n, 'Acme', now() FROM generate_series(1, 150) AS n RETURNING id)
      INSERT INTO api_keys (id, account_id, environment, name, hash, last_four, scopes, created_at)
      SELECT 'key_' || md5(account.id || '-' || n), account.id, 'sandbox', 'Key', sha256((account.id || '-' || n)::bytea), 'abcd', '{orders:read}', now()
      FROM account, generate_series(1, 25) AS n`);
    expect(await costly()).toEqual([]);
    await gateway.db.run(sql`ANALYZE`);
    expect(await costly()).toEqual([]);
  });
});
