import { eventually } from "@shipping/kit/testing/eventually";
import type { BrowserContext, Page, Response } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea({ logs: true });
const browser = useBrowser();

const NEW = "/developers/sandbox/keys/new";
const LIST = "/developers/sandbox/keys";

async function openForm(): Promise<{ context: BrowserContext; page: Page; accountId: string }> {
  const context = await browser.open();
  const link = await area.newLink();
  const page = await signInWithLink(context, link);
  await page.goto(area.origin() + NEW);
  return { context, page, accountId: link.accountId };
}

/** Presses the button, and yields the key that is shown. */
async function create(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Create key" }).click();
  const key = (await page.locator("#secret").textContent()) ?? "";
  expect(key).toMatch(/^service_test_[0-9A-Za-z]{38}$/);
  return key;
}

const keysOf = async (accountId: string) =>
  (await area.stack().databases.gateway.pool.query("SELECT id FROM api_keys WHERE account_id = $1", [accountId]))
    .rowCount;

describe("a key that was shown", () => {
  test("is not shown again on reload, and no second one is made", async () => {
    const { context, page, accountId } = await openForm();
    const key = await create(page);
    await page.reload();
    expect(new URL(page.url()).pathname).toBe(LIST);
    expect(await page.content()).not.toContain(key);
    expect(await keysOf(accountId)).toBe(1);
    await context.close();
  });

  test.each([true, false])("is not shown again on Back, bfcache on, script %p", async (javaScriptEnabled) => {
    const context = await browser.open({ javaScriptEnabled });
    const page = await signInWithLink(context, await area.newLink());
    await page.goto(area.origin() + NEW);
    const key = await create(page);
    await page.getByRole("link", { name: "All keys" }).click();
    await page.waitForURL(`**${LIST}`);
    // Chromium may ask whether the form is to be sent again, which ends as an error page here.
    await page.goBack({ waitUntil: "commit" }).catch(() => undefined);
    expect(await eventually(() => page.content())).not.toContain(key);
    await context.close();
  });

  test("stands in the answer to the form and nowhere else", async () => {
    const { context, page } = await openForm();
    const seen: { where: string; text: string }[] = [];
    const bodies: Promise<void>[] = [];
    const see = (where: string, text: string) => void seen.push({ where, text });
    context.on("request", (request) => {
      see("a request", `${request.url()} ${request.postData() ?? ""} ${JSON.stringify(request.headers())}`);
    });
    const read = async (response: Response) => {
      const request = response.request();
      see("headers", JSON.stringify(await response.allHeaders()));
      const isAnswer = request.method() === "POST" && response.status() === 201;
      see(isAnswer ? "the answer" : "a body", await response.text().catch(() => ""));
    };
    context.on("response", (response) => void bodies.push(read(response)));

    const key = await create(page);
    see(
      "storage",
      await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
    );
    see("performance", await page.evaluate<string>("JSON.stringify(performance.getEntries())"));
    see("history", await page.evaluate<string>("JSON.stringify([history.state, location.href])"));
    for (const path of [LIST, "/developers/sandbox", "/developers/audit", "/developers/quick-start"]) {
      await page.goto(area.origin() + path);
      see(path, await page.content());
    }
    await Promise.all(bodies);
    see("the log", area.stack().logged());
    const { pool } = area.stack().databases.gateway;
    const { rows: tables } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    for (const { tablename } of tables) {
      const { rows } = await pool.query(`SELECT t::text AS row FROM "${tablename}" AS t`);
      see(tablename, rows.map(({ row }) => row).join("\n"));
    }
    const secret = key.slice("service_test_".length, -4);
    const places = seen.filter(({ text }) => text.includes(secret)).map(({ where }) => where);
    expect([...new Set(places)]).toEqual(["the answer"]);
    await context.close();
  });

  test("is copied by its button, where there is a clipboard", async () => {
    const { context, page } = await openForm();
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: area.origin() });
    const key = await create(page);
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const other = await context.newPage();
    await other.goto(`${area.origin()}/developers/sandbox`);
    expect(await other.evaluate("navigator.clipboard.readText()")).toBe(key);
    await context.close();
  });
});

test.each([true, false])(
  "after the sign-out, Back shows nothing of the account, script %p",
  async (javaScriptEnabled) => {
    const context = await browser.open({ javaScriptEnabled });
    const page = await signInWithLink(context, await area.newLink());
    await page.goto(area.origin() + LIST);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    await page.goBack({ waitUntil: "commit" }).catch(() => undefined);
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    expect(await page.content()).not.toContain("Nordlicht");
    await context.close();
  },
);
