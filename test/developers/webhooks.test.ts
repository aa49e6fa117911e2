import { readFileSync } from "node:fs";
import { join } from "node:path";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { wordsIn } from "./subscribers.js";
import { decodeText, fieldsOf, secretIn } from "./visitor.js";

const area = useArea();
const guide = readFileSync(join(import.meta.dirname, "../../docs/webhook-recipes.md"), "utf8");

const LIST = "/developers/sandbox/webhooks";
const NEW = `${LIST}/new`;
const url = "https://shop.example.com/hooks";

async function subscriptionsOf(accountId: string) {
  const { key } = await area.stack().newKey(accountId);
  const { body } = await apiClient(area.stack().baseUrl, key).get<{ id: string; url: string; status: string }[]>(
    "/webhooks",
  );
  return body.data ?? [];
}

describe("POST /developers/{environment}/webhooks/new", () => {
  test("201 shows the secret once, with the recipes of the guide beside it", async () => {
    const { visitor, accountId } = await area.signIn();
    const { status, html } = await visitor.submit(NEW, { url, events: ["order.created", "label.created"] });
    expect([status, secretIn(html)]).toEqual([201, expect.stringMatching(/^whsec_/)]);
    const recipes = [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = ""]) =>
      decodeText(code.replace(/<[^>]*>/g, "")),
    );
    expect(recipes).toHaveLength(6);
    expect(recipes[0]).toContain("createHmac");
    for (const recipe of recipes) expect(guide).toContain(recipe);
    expect(await subscriptionsOf(accountId)).toMatchObject([
      { url, events: ["order.created", "label.created"], status: "active" },
    ]);
    const list = await visitor.get(LIST);
    expect(list.html).toContain(url);
    expect(list.html).not.toContain(secretIn(html) ?? "");
  });

  test("the same form again, or ten times at once, makes one subscription and shows its secret once", async () => {
    const { visitor, accountId } = await area.signIn();
    const fields = { ...fieldsOf((await visitor.get(NEW)).html), url };
    const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(NEW, fields)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(303)]);
    expect((await visitor.post(NEW, { ...fields, url: `${url}/other` })).location).toBe(LIST);
    expect(await subscriptionsOf(accountId)).toHaveLength(1);
  });

  test.each([
    ["a URL with another scheme", { url: "ftp://shop.example.com" }, 422],
    ["no address", { url: "" }, 422],
    ["no event", { events: undefined }, 422],
    ["an event of another kind", { events: ["label.eaten"] }, 422],
  ])("refuses %s, and keeps what was typed", async (_case, change, status) => {
    const { visitor, accountId } = await area.signIn();
    const answer = await visitor.submit(NEW, { url, ...change });
    expect(answer.status).toBe(status);
    expect(fieldsOf(answer.html)).toMatchObject({ url: { url, ...change }.url });
    expect(await subscriptionsOf(accountId)).toEqual([]);
  });
});

test("disabling asks first, and keeps it listed", async () => {
  const { visitor, accountId } = await area.signIn();
  await visitor.submit(NEW, { url });
  const [{ id } = { id: "" }] = await subscriptionsOf(accountId);
  const path = `${LIST}/${id}/disable`;
  expect((await visitor.get(path)).html).toContain(url);
  expect(await visitor.submit(path)).toMatchObject({ status: 303, location: LIST });
  expect((await visitor.get(LIST)).html).toContain("Disabled");
  expect(await subscriptionsOf(accountId)).toMatchObject([{ id, status: "disabled" }]);
});

describe("an endpoint's name", () => {
  test("stands for its host in lists, is in the audit log, and goes with the subscription", async () => {
    const { visitor, accountId } = await area.signIn();
    for (const path of ["orders", "stock"]) await visitor.submit(NEW, { url: `https://shop.example.com/${path}` });
    // Without names, paths tell endpoints of one host apart.
    expect(wordsIn((await visitor.get(LIST)).html)).toMatch(/shop\.example\.com\/orders.*shop\.example\.com\/stock/);
    const stored = await subscriptionsOf(accountId);
    const id = stored.find(({ url }) => url.endsWith("orders"))?.id ?? "";
    const path = `${LIST}/${id}`;
    expect(await visitor.submit(`${path}/name`, { name: "x".repeat(61) })).toMatchObject({ status: 422 });
    expect(await visitor.submit(`${path}/name`, { name: " Warehouse " })).toMatchObject({
      status: 303,
      location: path,
    });
    const { html } = await visitor.get(path);
    expect(html).toContain("<h1><bdi>Warehouse</bdi>");
    expect(html).toContain("Name saved.");
    expect(wordsIn((await visitor.get(LIST)).html)).toMatch(/shop\.example\.com .*Warehouse shop\.example\.com /);
    expect(wordsIn((await visitor.get("/developers/audit")).html)).toContain("Endpoint named");
    await visitor.submit(`${path}/disable`);
    await visitor.get("/developers/audit");
    expect(wordsIn((await visitor.get(path)).html)).not.toContain("Warehouse");
    expect(await visitor.get(`${path}/name`)).toMatchObject({ status: 303, location: path });
  });

  test("is a host as people write it where there is none, with its ASCII form if it may look like another", async () => {
    const { visitor } = await area.signIn();
    await visitor.submit(NEW, { url: "https://xn--bcher-kva.example/a" });
    await visitor.submit(NEW, { url: "https://xn--80ak6aa92e.com/b" });
    const words = wordsIn((await visitor.get(LIST)).html);
    expect(words).toContain("bücher.example");
    expect(words).toContain("аррӏе.com (xn--80ak6aa92e.com)");
  });
});

test("a secret is changed with a second subscription, and the page of the first says how far that is", async () => {
  const { visitor, accountId } = await area.signIn();
  await visitor.submit(NEW, { url, events: ["order.created"] });
  const [first] = await subscriptionsOf(accountId);
  const path = `${LIST}/${first?.id}`;
  const page = (await visitor.get(path)).html;
  const [, second = ""] = /href="([^"]*\/new\?like=[^"]*)"/.exec(page) ?? [];
  expect(fieldsOf((await visitor.get(second)).html)).toMatchObject({ url, events: ["order.created"] });
  expect((await visitor.submit(second)).status).toBe(201);
  const words = wordsIn((await visitor.get(path)).html);
  expect(words).toMatch(/Done: the second subscription was created 20/);
  expect(words).toContain("New secret: nothing delivered yet. Old secret: no pending events.");
  expect(words).toContain("Disable the subscription with the old secret");
  const [, other = ""] = (await subscriptionsOf(accountId))
    .map(({ id }) => id)
    .sort((one) => (one === first?.id ? -1 : 1));
  expect(wordsIn((await visitor.get(`${LIST}/${other}`)).html)).toContain("This is the second subscription to");
});
