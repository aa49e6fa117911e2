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
  expect(await found(caller, "LAGER")).toEqual([second.id, id]);
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
  const ids = [];
  for (let n = 1; n <= 25; n++) ids.push((await gateway.newKey({ accountId, name: `a ${n}` })).id);
  expect(await found({ accountId, environment: "sandbox" }, "a")).toEqual(ids.reverse().slice(0, 20));
});
