import type { Caller } from "@shipping/kit/caller";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { findKeys } from "./find-keys.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const found = async (caller: Caller, text: string) => (await findKeys(gateway, caller, text)).map(({ id }) => id);

test("a key is found by its id, its last four characters and how its name begins, whatever its case", async () => {
  const { id, key, accountId } = await gateway.newKey({ name: "Lager 100% Süd" });
  const second = await gateway.newKey({ accountId, name: "lager Nord" });
  const caller = { accountId, environment: "sandbox" } as const;
  expect(await found(caller, id)).toEqual([id]);
  expect(await found(caller, key.slice(-4))).toEqual([id]);
  expect((await found(caller, "LAGER")).sort()).toEqual([id, second.id].sort());
  expect(await found(caller, "lager 100%")).toEqual([id]);
  for (const text of ["%", "_ager", "Süd", key]) expect(await found(caller, text)).toEqual([]);
  expect((await findKeys(gateway, caller, id))[0]).toMatchObject({ name: "Lager 100% Süd", revokedAt: null });
});

test("another account's or environment's is not", async () => {
  const { id, accountId } = await gateway.newKey();
  expect(await found({ accountId, environment: "live" }, id)).toEqual([]);
  expect(await found(newCaller(), id)).toEqual([]);
});

test("at most twenty are named, the newest first", async () => {
  const { accountId } = await gateway.newKey({ name: "a 0" });
  for (let n = 1; n <= 25; n++) await gateway.newKey({ accountId, name: `a ${n}` });
  await gateway.db.pool.query(
    "UPDATE api_keys SET created_at = now() + substr(name, 3)::integer * interval '1 second' WHERE account_id = $1",
    [accountId],
  );
  const keys = await findKeys(gateway, { accountId, environment: "sandbox" }, "a");
  expect(keys.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `a ${25 - index}`));
});
