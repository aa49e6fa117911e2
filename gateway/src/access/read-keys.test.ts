import { randomBytes } from "node:crypto";
import type { Caller } from "@shipping/kit/caller";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { newCaller } from "@shipping/kit/testing/writes";
import { setSuspended } from "../accounts/manage-accounts.js";
import { accessUnderTest } from "../testing/access-under-test.js";

let gateway: Awaited<ReturnType<typeof accessUnderTest>>;
beforeAll(async () => {
  gateway = await accessUnderTest();
});
afterAll(() => gateway.drop());

const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => failureIn(error)?.code,
  );

describe("the list of keys", () => {
  test("has the active ones first, each once, page by page; an unknown key to begin after is ignored", async () => {
    const { accountId, id: first } = await gateway.newKey();
    const ids = [first];
    for (let n = 0; n < 6; n++) ids.push((await gateway.newKey({ accountId })).id);
    await gateway.newKey({ accountId, environment: "live" });
    await gateway.db.pool.query(
      "UPDATE api_keys SET created_at = now() + array_position($1, id::text) * interval '1 minute' WHERE id = ANY ($1)",
      [ids],
    );
    await gateway.db.pool.query("UPDATE api_keys SET revoked_at = now() WHERE id = ANY ($1)", [[ids[1], ids[5]]]);
    await gateway.db.pool.query("UPDATE api_keys SET expires_at = now() WHERE id = $1", [ids[3]]);
    const expected = [6, 4, 2, 0, 5, 3, 1].map((index) => ids[index]);
    const caller = { accountId, environment: "sandbox" };
    for (const limit of [1, 3, 7, 100]) {
      const listed: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await gateway.access.listKeys({ caller, limit, ...(after && { after }) });
        listed.push(...page.keys.map(({ id }) => id));
        after = page.nextCursor;
        if (!after) break;
      }
      expect(listed).toEqual(expected);
    }
    const { keys, first: isFirst } = await gateway.access.listKeys({
      caller,
      limit: 2,
      after: newId("key", randomBytes),
    });
    expect([isFirst, (await gateway.access.listKeys({ caller, limit: 2, after: first })).first]).toEqual([true, false]);
    expect(keys.map(({ id, active }) => [id, active])).toEqual(expected.slice(0, 2).map((id) => [id, true]));
  });

  test("and one key are a caller's own", async () => {
    const { accountId, id } = await gateway.newKey();
    for (const caller of [newCaller(), { accountId, environment: "live" }]) {
      expect((await gateway.access.listKeys({ caller, limit: 10 })).keys).toEqual([]);
      expect((await gateway.access.listKeyUsage({ caller })).keys).toEqual([]);
      expect(await refusalOf(gateway.access.getKey({ caller, id }))).toBe("not_found");
    }
  });
});

test("the names of an account's keys, in whichever environment; unknown ones and those of others are left out", async () => {
  const { accountId, id, key } = await gateway.newKey({ name: "Shop" });
  const live = await gateway.newKey({ accountId, environment: "live" });
  const other = await gateway.newKey();
  const ids = [id, live.id, other.id, newId("key", randomBytes)];
  const { keys } = await gateway.access.nameKeys({ accountId, ids });
  expect(keys.map(({ id, name, lastFour }) => [id, name, lastFour]).sort()).toEqual(
    [
      [id, "Shop", key.slice(-4)],
      [live.id, undefined, live.key.slice(-4)],
    ].sort(),
  );
});

test("the usage of active keys is what the rate limit counts; a key says when it expires within a week", async () => {
  const DAY_MS = 86_400_000;
  const { accountId, id } = await gateway.newKey({ expiresInMs: 6 * DAY_MS });
  const later = await gateway.newKey({ accountId, expiresInMs: 8 * DAY_MS });
  const revoked = await gateway.newKey({ accountId });
  await gateway.db.pool.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [revoked.id]);
  await gateway.db.pool.query("UPDATE api_keys SET last_used_at = now() WHERE id = $1", [id]);
  await gateway.db.pool.query(
    `UPDATE rate_windows SET last_second = floor(extract(epoch FROM clock_timestamp())),
      counters = array_fill(0, ARRAY[60]) || 7 WHERE key_id = $1`,
    [id],
  );
  const { keys, requestsPerMinute } = await gateway.access.listKeyUsage({
    caller: { accountId, environment: "sandbox" },
  });
  expect(requestsPerMinute).toBe(120);
  expect(keys.map(({ key, expiresSoon, requests }) => [key?.id, expiresSoon, requests])).toEqual([
    [id, true, 7],
    [later.id, false, 0],
  ]);
});

test("the state of an account", async () => {
  const { accountId } = await gateway.newKey();
  const read = async () => (await gateway.access.getAccount({ accountId })).account;
  const before = await read();
  expect(before).toMatchObject({ id: accountId, name: "Acme" });
  expect([before?.suspendedAt, before?.erasingSince]).toEqual([undefined, undefined]);
  await setSuspended(gateway.admin, accountId, true);
  expect(Date.parse((await read())?.suspendedAt ?? "")).not.toBeNaN();
  expect(await refusalOf(gateway.access.getAccount({ accountId: newId("acc", randomBytes) }))).toBe("not_found");
});

const found = async (caller: Caller, text: string) =>
  (await gateway.access.findKeys({ caller, text })).keys.map(({ id }) => id);

test("a key is found by its id, its last four characters and how its name begins, whatever its case", async () => {
  const { id, key, accountId } = await gateway.newKey({ name: "Lager 100% Süd" });
  const second = await gateway.newKey({ accountId, name: "lager Nord" });
  const caller = { accountId, environment: "sandbox" } as const;
  expect(await found(caller, id)).toEqual([id]);
  expect(await found(caller, key.slice(-4))).toEqual([id]);
  expect((await found(caller, "LAGER")).sort()).toEqual([id, second.id].sort());
  expect(await found(caller, "lager 100%")).toEqual([id]);
  for (const text of ["%", "_ager", "Süd", key]) expect(await found(caller, text)).toEqual([]);
  const { keys } = await gateway.access.findKeys({ caller, text: id });
  expect(keys[0]).toMatchObject({ name: "Lager 100% Süd", active: true });
});

test("a key of another account or environment is not found", async () => {
  const { id, accountId } = await gateway.newKey();
  expect(await found({ accountId, environment: "live" }, id)).toEqual([]);
  expect(await found(newCaller(), id)).toEqual([]);
});

test("at most twenty keys are returned, newest first", async () => {
  const { accountId } = await gateway.newKey({ name: "a 0" });
  for (let n = 1; n <= 25; n++) await gateway.newKey({ accountId, name: `a ${n}` });
  await gateway.db.pool.query(
    "UPDATE api_keys SET created_at = now() + substr(name, 3)::integer * interval '1 second' WHERE account_id = $1",
    [accountId],
  );
  const { keys } = await gateway.access.findKeys({ caller: { accountId, environment: "sandbox" }, text: "a" });
  expect(keys.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, index) => `a ${25 - index}`));
});
