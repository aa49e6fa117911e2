import { withoutChanges } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { closeAuditLog, openAuditLog } from "@shipping/portal/testing/stored-accounts";
import { createLabel } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { fieldsOf, secretIn, type Visitor } from "./visitor.js";

const area = useArea();

const NEW = "/developers/sandbox/webhooks/new";
const url = "https://shop.example.com/hooks";

const subscriptionEntries = (visitor: Visitor) => entriesOf(visitor, "Subscription");

/** Actor, action, subject and source of the entries whose action begins with this text, as the page shows them, the oldest first. */
async function entriesOf(visitor: Visitor, begin: string): Promise<string[][]> {
  const { html } = await visitor.get("/developers/audit");
  const cells = (row: string) => [...row.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = ""]) => textOf(cell));
  const rows = html.split("<tr>").map((row) => cells(row).slice(1));
  return rows.filter(([, what]) => what?.startsWith(begin)).reverse();
}

const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();

describe("subscriptions in the audit log", () => {
  test("one that the API creates and deletes is there once, under the name of the key", async () => {
    const { visitor } = await area.signIn();
    const created = await visitor.submit("/developers/sandbox/keys/new", {
      name: "Shop server",
      scopes: ["webhooks:write"],
    });
    const key = secretIn(created.html) ?? "";
    const { send } = apiClient(area.stack().baseUrl, key);
    const body = JSON.stringify({ url, events: ["order.created"] });
    const headers = { "idempotency-key": "k", "content-type": "application/json" };
    const create = () => send<{ id: string }>({ method: "POST", path: "/webhooks", headers, body });
    const [first, again] = [await create(), await create()];
    expect([first.status, again.status]).toEqual([201, 201]);
    const path = `/webhooks/${first.body.data.id}`;
    for (const key of ["d1", "d2"]) {
      const headers = { "idempotency-key": key };
      expect((await send({ method: "DELETE", path, headers })).status).toBe(200);
    }
    const who = `API key Shop server, ends in ${key.slice(-4)}`;
    await eventually(async () =>
      expect(await subscriptionEntries(visitor)).toEqual([
        [who, "Subscription created , sandbox", `${url}: order.created`, "127.0.0.1"],
        [who, "Subscription disabled , sandbox", url, "127.0.0.1"],
      ]),
    );
  });

  test("one that the area creates and disables is there once, under the member's email, however often the form is sent", async () => {
    const { visitor, email } = await area.signIn();
    const fields = { ...fieldsOf((await visitor.get(NEW)).html), url };
    await Promise.all(Array.from({ length: 5 }, () => visitor.post(NEW, fields)));
    const id = /whk_[a-z2-7]{26}/.exec((await visitor.get("/developers/sandbox/webhooks")).html)?.[0];
    expect((await visitor.submit(`/developers/sandbox/webhooks/${id}/disable`)).status).toBe(303);
    await eventually(async () =>
      expect(await subscriptionEntries(visitor)).toEqual([
        [email, "Subscription created , sandbox", `${url}: label.created label.voided`, "127.0.0.1"],
        [email, "Subscription disabled , sandbox", url, "127.0.0.1"],
      ]),
    );
  });

  test("a refused change is not there", async () => {
    const { visitor } = await area.signIn();
    for (let n = 0; n < 10; n++) expect((await visitor.submit(NEW, { url: `${url}/${n}` })).status).toBe(201);
    const eleventh = await visitor.submit(NEW, { url });
    expect([eleventh.status, eleventh.html.includes("10 active webhook subscriptions")]).toEqual([409, true]);
    expect((await visitor.submit(NEW, { url: "ftp://shop.example.com" })).status).toBe(422);
    await eventually(async () => expect(await subscriptionEntries(visitor)).toHaveLength(10));
  });
});

describe("a download from the developer area", () => {
  const SANDBOX = "/developers/sandbox";

  test("is in the audit log with its filter, or with its labels and their number", async () => {
    const { visitor, email, accountId } = await area.signIn();
    const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(accountId)).key);
    const labels = [await createLabel(api, { reference: "a" }), await createLabel(api, { reference: "b" })];
    const ids = labels.map(({ id }) => id);
    for (const path of [
      `${SANDBOX}/shipments/csv`,
      `${SANDBOX}/labels/csv?status=created&q=%20Ada%20&from=2026-01-31&zone=Europe/Berlin&unknown=x&size=100`,
      "/developers/live/orders/csv?to=2026-02-28",
      `${SANDBOX}/labels/merged?${ids.map((id) => `label=${id}`).join("&")}`,
    ]) {
      expect((await visitor.get(path)).status).toBe(200);
    }
    expect(await entriesOf(visitor, "Exported")).toEqual([
      [email, "Exported , sandbox", "shipments as CSV", "127.0.0.1"],
      [
        email,
        "Exported , sandbox",
        "labels as CSV: q=Ada, status=created, from=2026-01-31, zone=Europe/Berlin",
        "127.0.0.1",
      ],
      [email, "Exported , live", expect.stringMatching(/^orders as CSV: to=2026-02-28/), "127.0.0.1"],
      [email, "Exported , sandbox", `2 labels as one PDF: ${ids.join(", ")}`, "127.0.0.1"],
    ]);
  });

  test("is not there if it did not leave", async () => {
    const { visitor } = await area.signIn();
    expect((await visitor.get(`${SANDBOX}/labels/merged?label=lbl_${"a".repeat(26)}`)).status).toBe(404);
    expect((await visitor.get(`${SANDBOX}/labels/merged`)).status).toBe(200);
    expect(await entriesOf(visitor, "Exported")).toEqual([]);
  });

  test("a searched secret is not in the log", async () => {
    const { visitor } = await area.signIn();
    const { key } = await area.stack().newKey(await area.stack().newAccount());
    expect((await visitor.get(`${SANDBOX}/orders/csv?q=${key}`)).status).toBe(200);
    expect(await entriesOf(visitor, "Exported")).toMatchObject([{ 2: "orders as CSV: q=service_test_[redacted]" }]);
  });
});

describe("an audit log that cannot be written", () => {
  const close = () => closeAuditLog(area.db());
  const open = () => openAuditLog(area.db());
  afterEach(open);

  test("the secret of a subscription is shown all the same, and the entry follows", async () => {
    const { visitor } = await area.signIn();
    await close();
    const { status, html } = await visitor.submit(NEW, { url });
    expect([status, secretIn(html)]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    expect(await subscriptionEntries(visitor)).toEqual([]);
    await open();
    await eventually(async () => expect(await subscriptionEntries(visitor)).toHaveLength(1));
  });

  test("nothing is exported", async () => {
    const { visitor } = await area.signIn();
    await close();
    expect((await visitor.get("/developers/sandbox/orders/csv")).status).toBe(500);
    await open();
    expect((await visitor.get("/developers/sandbox/orders/csv")).status).toBe(200);
    expect(await entriesOf(visitor, "Exported")).toHaveLength(1);
  });

  test("the secret of a key is shown all the same, and the entry follows", async () => {
    const { visitor } = await area.signIn();
    await close();
    const { status, html } = await visitor.submit("/developers/sandbox/keys/new");
    expect([status, secretIn(html)]).toEqual([201, expect.stringMatching(/^service_test_/)]);
    expect(await entriesOf(visitor, "Key")).toEqual([]);
    await open();
    expect(await entriesOf(visitor, "Key created")).toHaveLength(1);
  });

  test("no key is created if the gateway cannot keep its line, and the same form creates one later", async () => {
    const { visitor } = await area.signIn();
    const path = "/developers/sandbox/keys/new";
    const fields = fieldsOf((await visitor.get(path)).html);
    const refused = () => visitor.post(path, fields);
    expect((await withoutChanges(area.stack().databases.gateway, "key.created", refused)).status).toBe(500);
    expect((await visitor.get("/developers/sandbox/keys")).html).toContain("There are no sandbox keys yet");
    expect((await visitor.post(path, fields)).status).toBe(201);
  });
});

test("the log is filtered by who, what, when and by any text, and exported in the same way", async () => {
  const { visitor, email } = await area.signIn();
  await visitor.submit("/developers/sandbox/keys/new", { name: "Warehouse" });
  await visitor.submit("/developers/sandbox/keys/new", { name: "Shop" });
  await visitor.submit(NEW, { url });
  await eventually(async () => expect(await entriesOf(visitor, "Subscription")).toHaveLength(1));
  const count = async (query: string) =>
    (await visitor.get(`/developers/audit?${query}`)).html.split("<tr>").length - 2;
  expect(await count("what=key.created")).toBe(2);
  expect(await count("q=warehouse")).toBe(1);
  expect(await count("q=warehouse&what=webhook.created")).toBe(-1);
  expect(await count(`who=${email.slice(0, 6).toUpperCase()}`)).toBe(4);
  expect(await count("who=nobody")).toBe(-1);
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  // The operator has added the member and created the sign-in link.
  expect(await count(`from=${day(-1)}&to=${day(1)}`)).toBe(6);
  expect(await count(`to=${day(-2)}`)).toBe(-1);
  expect((await visitor.get("/developers/audit?who=nobody")).html).toContain("No entries match this filter.");
  const file = await visitor.get("/developers/audit/csv?what=key.created");
  expect(file.headers["content-disposition"]).toMatch(/audit-log-[\d-]+\.csv/);
  const lines = file.html.trim().split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain("at,who,action,what,environment,subject,details,source");
  expect(lines.slice(1).every((line) => line.includes(`${email},key.created,Key created,sandbox`))).toBe(true);
  expect((await entriesOf(visitor, "Exported"))[0]?.join(" ")).toContain("audit log as CSV: what=key.created");
});
