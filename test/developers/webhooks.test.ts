import { readFileSync } from "node:fs";
import { join } from "node:path";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
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
