import { scopes } from "@shipping/api/api-key";
import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { createOrder } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { wordsIn } from "./subscribers.js";
import { fieldsOf, secretIn } from "./visitor.js";

const area = useArea();

const NEW = "/developers/sandbox/keys/new";

/** The API's response to a key. */
const statusOf = async (key: string) => (await apiClient(area.stack().baseUrl, key).get("/account")).status;

test("GET /developers/{environment}/keys/new: chooses all scopes in the sandbox, so that no step of a guide is a 403, and 90 days", async () => {
  const { visitor } = await area.signIn();
  const { html } = await visitor.get(NEW);
  expect(fieldsOf(html)).toEqual({
    form_id: expect.stringMatching(/^form_[a-z2-7]{26}$/),
    name: "Sandbox key",
    scopes: [...scopes],
    expires: "90d",
  });
  const live = fieldsOf((await visitor.get("/developers/live/keys/new")).html);
  expect(live.scopes).toEqual(["account:read", "orders:write", "shipments:write"]);
});

test("the list of keys takes at most 20 KB, with what it loads, forty keys of 200 characters included", async () => {
  const { visitor, accountId } = await area.signIn();
  for (let n = 0; n < 40; n++) {
    await area.stack().newKey(accountId, "sandbox", { name: `${n} ${"Lager Süd ".repeat(20)}`.slice(0, 200) });
  }
  const compressed = { headers: { "accept-encoding": "gzip" } };
  const sizes = await Promise.all(
    ["/developers/sandbox/keys", "/developers/style.css", "/developers/script.js"].map(async (path) => {
      const { headers, html } = await visitor.get(path, compressed);
      return Number(headers["content-length"] ?? html.length);
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(20_000);
});

describe("POST /developers/{environment}/keys/new", () => {
  test("201 shows a key that opens the API, once", async () => {
    const { visitor } = await area.signIn();
    const created = await visitor.submit(NEW, { scopes: ["account:read"] });
    expect(created.status).toBe(201);
    expect(created.headers["cache-control"]).toBe("no-store");
    const key = secretIn(created.html) ?? "";
    expect(key).toMatch(/^service_test_[0-9A-Za-z]{38}$/);
    expect(await statusOf(key)).toBe(200);
    const { html } = await visitor.get("/developers/sandbox/keys");
    expect(html).toContain(`…${key.slice(-4)}`);
    expect(html).not.toContain(key.slice(13, 40));
  });

  test.each([
    ["30d", 30],
    ["90d", 90],
    ["365d", 365],
    ["never", undefined],
  ])("expires %s", async (expires, days) => {
    const { visitor, accountId } = await area.signIn();
    expect((await visitor.submit(NEW, { expires })).status).toBe(201);
    const [key] = await keysOf(accountId);
    const lasts = key?.expiresAt && (key.expiresAt.getTime() - key.createdAt.getTime()) / 86_400_000;
    expect(lasts ?? undefined).toBe(days);
  });

  test("ten parallel submissions of one form: one 201, nine 303, one key", async () => {
    const { visitor, accountId } = await area.signIn();
    const fields = fieldsOf((await visitor.get(NEW)).html);
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(NEW, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(303)]);
    expect(answers.find(({ status }) => status === 303)?.location).toBe("/developers/sandbox/keys");
    expect(await keysOf(accountId)).toHaveLength(1);
  });

  test("409 for the fifty-first active key, and the form stays as it was sent; once one is revoked there is room", async () => {
    const { visitor, accountId } = await area.signIn();
    const { id } = await area.stack().newKey(accountId);
    for (let n = 2; n <= 50; n++) await area.stack().newKey(accountId);
    const refused = await visitor.submit(NEW, { name: "One too many" });
    expect([refused.status, secretIn(refused.html)]).toEqual([409, undefined]);
    expect(refused.html).toContain("This account already has 50 active sandbox keys, the maximum. Revoke one first.");
    expect(fieldsOf(refused.html)).toMatchObject({ name: "One too many" });
    await area.stack().revokeKey(id);
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.submit(NEW)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await visitor.submit("/developers/live/keys/new")).status).toBe(201);
  });

  test("429 for the eleventh key within an hour, and the form stays as it was sent", async () => {
    const { visitor, accountId } = await area.signIn();
    for (let n = 0; n < 10; n++) expect((await visitor.submit(NEW)).status).toBe(201);
    const refused = await visitor.submit(NEW, { name: "One too many" });
    expect([refused.status, secretIn(refused.html)]).toEqual([429, undefined]);
    expect(refused.html).toContain("This account has created 10 keys in an hour, the maximum. Try again later.");
    expect(fieldsOf(refused.html)).toMatchObject({ name: "One too many" });
    expect(await keysOf(accountId)).toHaveLength(10);
  });

  test("another account's form id is no hindrance", async () => {
    const [one, other] = [await area.signIn(), await area.signIn()];
    const fields = fieldsOf((await one.visitor.get(NEW)).html);
    expect((await one.visitor.post(NEW, fields)).status).toBe(201);
    expect((await other.visitor.post(NEW, fields)).status).toBe(201);
  });

  test.each<[string, Record<string, string | string[] | undefined>, string]>([
    ["no expiry", { expires: undefined }, "must be chosen from the list"],
    ["no scope", { scopes: undefined }, "at least one"],
    ["a scope outside the ten", { scopes: ["orders:write", "orders:eat"] }, "must be chosen from the list"],
    ["a scope twice", { scopes: ["orders:write", "orders:write"] }, "must not be repeated"],
    ["a blank name", { name: "   " }, "1 to 200 characters"],
    ["no form id", { form_id: undefined }, "form_id is required"],
    ["a form id of somebody's making", { form_id: "form_1" }, "form_id does not belong to this form"],
    ["__proto__", { __proto__x: "1", ["__proto__"]: "1" }, "is not a known field"],
  ])("422 for %s, and no key", async (_case, change, said) => {
    const { visitor, accountId } = await area.signIn();
    const answer = await visitor.submit(NEW, change);
    expect(answer.status).toBe(422);
    expect(answer.html).toContain(said);
    expect(await keysOf(accountId)).toEqual([]);
  });

  test("415 for what is no form, 413 for more than 64 KiB, 422 for broken percent-encoding", async () => {
    const { visitor } = await area.signIn();
    const json = await visitor.post(NEW, "{}", { headers: { "content-type": "application/json" } });
    const large = await visitor.post(NEW, { name: "x".repeat(70_000) });
    const broken = await visitor.post(NEW, "name=%zz");
    expect([json.status, large.status, broken.status]).toEqual([415, 413, 422]);
  });
});

describe("GET /developers/{environment}/keys", () => {
  test("revoked and expired keys stay listed; those of the other environment are not", async () => {
    const { visitor, accountId } = await area.signIn();
    const revoked = await area.stack().newKey(accountId);
    await area.stack().revokeKey(revoked.id);
    await area.stack().newKey(accountId, "sandbox", { expiresInMs: -1_000 });
    const live = await area.stack().newKey(accountId, "live");
    const { html } = await visitor.get("/developers/sandbox/keys");
    expect(html).toContain("Revoked");
    expect(html).toContain("Expired");
    expect(html).not.toContain(live.key.slice(-4));
    expect((await visitor.get("/developers/live/keys")).html).toContain(live.key.slice(-4));
  });

  test("markup in a name is shown as text, and direction marks as what they are", async () => {
    const { visitor } = await area.signIn();
    await visitor.submit(NEW, { name: `<img src=x onerror=alert(1)>\u202egpj.exe"'&` });
    const { html } = await visitor.get("/developers/sandbox/keys");
    expect(html).not.toContain("<img src=x");
    expect(html).toContain("&lt;img src=x onerror=alert(1)>⟨U+202E⟩gpj.exe");
  });
});

test("revoking asks first, warns of a key in use, and then refuses it from the next request on", async () => {
  const { visitor, accountId } = await area.signIn();
  const { id, key } = await area.stack().newKey(accountId);
  const path = `/developers/sandbox/keys/${id}/revoke`;
  expect((await visitor.get(path)).html).not.toContain("used in the last 24 hours");
  expect(await statusOf(key)).toBe(200);
  expect((await visitor.get(path)).html).toContain("used in the last 24 hours");
  expect(await statusOf(key)).toBe(200);
  expect(await visitor.submit(path)).toMatchObject({ status: 303, location: "/developers/sandbox/keys" });
  expect(await statusOf(key)).toBe(401);
  // The list says so once, with the next step, where a screen reader begins.
  const said = /<div class="note good done" role="status"[^>]*autofocus><p>Key revoked\..*keys\/new/;
  expect((await visitor.get("/developers/sandbox/keys")).html).toMatch(said);
  expect((await visitor.get("/developers/sandbox/keys")).html).not.toMatch(said);
  expect((await visitor.post(path)).status).toBe(303);
  await visitor.get("/developers/audit");
  expect(await auditEntries(area.db(), { subject: id, action: "key.revoked" })).toMatchObject([
    { actor: expect.stringContaining("@"), action: "key.revoked", source: "127.0.0.1" },
  ]);
});

test("the page of a key says what it may do, who created it, and what was done with it", async () => {
  const { visitor, accountId, email } = await area.signIn();
  const created = await visitor.submit(NEW, { name: "Shop", scopes: ["orders:write"] });
  const [{ id } = { id: "" }] = await keysOf(accountId);
  const api = apiClient(area.stack().baseUrl, secretIn(created.html) ?? "");
  await createOrder(api);
  expect((await api.get("/shipments")).status).toBe(403);
  const path = `/developers/sandbox/keys/${id}`;
  await visitor.get("/developers/audit");
  await eventually(async () => {
    const words = wordsIn((await visitor.get(path)).html);
    for (const said of [
      "Active",
      "Create orders",
      "orders:write",
      `Created by ${email}`,
      "Successful writes 1",
      "Failures 1",
    ])
      expect(words).toContain(said);
    expect(words).toMatch(/missing_scope 403 1/);
  });
  const other = await area.signIn();
  expect((await other.visitor.get(path)).status).toBe(404);
});

test("several keys are revoked at once, after a question that says which of them are in use", async () => {
  const { visitor, accountId } = await area.signIn();
  const keys = [];
  for (let n = 0; n < 3; n++) keys.push(await area.stack().newKey(accountId));
  await statusOf(keys[0]!.key);
  const query = keys.slice(0, 2).map(({ id }) => `key=${id}`);
  const path = `/developers/sandbox/keys/revoke?${query.join("&")}`;
  const question = await visitor.get(path);
  expect(question.html).toContain("Revoke these 2 sandbox keys?");
  expect(question.html).toContain("One of them was used in the last 24 hours.");
  expect(
    await visitor.post("/developers/sandbox/keys/revoke", { key: keys.slice(0, 2).map(({ id }) => id) }),
  ).toMatchObject({
    status: 303,
    location: "/developers/sandbox/keys",
  });
  expect(await Promise.all(keys.map(({ key }) => statusOf(key)))).toEqual([401, 401, 200]);
  expect((await visitor.get("/developers/sandbox/keys")).html).toContain("Keys revoked.");
  expect(await visitor.get(path)).toMatchObject({ status: 303, location: "/developers/sandbox/keys" });
  const foreign = await area.signIn();
  await foreign.visitor.post("/developers/sandbox/keys/revoke", { key: [keys[2]!.id] });
  expect(await statusOf(keys[2]!.key)).toBe(200);
});

const keysOf = (accountId: string) => storedKeys(area.stack().databases.gateway, { accountId });
