import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS, openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { admit, createAdmit } from "./admit.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const deps = () => ({ db: gateway.db, requestsPerMinute: 1_000, clockOffsetMs: 0 });

test("gateways that admit the same keys in opposite order do not deadlock", async () => {
  const hashes = (await Promise.all(Array.from({ length: 30 }, () => gateway.newKey()))).map(({ hash }) => hash);
  const gateways = Array.from({ length: 4 }, () => createAdmit(deps()));
  for (let round = 0; round < 30; round++) {
    const admissions = gateways.flatMap((admitTogether, number) =>
      (number % 2 === 0 ? hashes : hashes.toReversed()).map((keyHash) => admitTogether({ keyHash })),
    );
    expect((await Promise.all(admissions)).filter((admission) => admission?.within)).toHaveLength(120);
  }
});

test("a key that expires while another request holds its window is not admitted", async () => {
  const { id, hash } = await gateway.newKey({ expiresInMs: 500 });
  const other = await openTransaction(gateway.db);
  await other.query("SELECT FROM rate_windows WHERE key_id = $1 FOR UPDATE", [id]);
  const admission = admit(deps(), hash);
  await eventually(async () => {
    const { rows } = await other.query("SELECT expires_at < clock_timestamp() AS over FROM api_keys WHERE id = $1", [
      id,
    ]);
    expect(rows).toEqual([{ over: true }]);
  });
  await other.query("COMMIT");
  other.release();
  expect(await admission).toBeUndefined();
});

test("admission does not wait for the disk, and other statements still do", async () => {
  const { hash } = await gateway.newKey();
  const db = openDatabase(gateway.url, { max: 1, connectMs: CONNECT_MS, log: silentLog() });
  const setting = () => db.run(sql`SHOW synchronous_commit`);
  await db.run(sql`BEGIN`);
  expect(await admit({ ...deps(), db }, hash)).toMatchObject({ within: true });
  expect(await setting()).toEqual([{ synchronous_commit: "off" }]);
  await db.run(sql`COMMIT`);
  await admit({ ...deps(), db }, hash);
  expect(await setting()).toEqual([{ synchronous_commit: "on" }]);
  await db.close();
});
