import { eventually } from "@shipping/kit/testing/eventually";
import { parts } from "@shipping/local/parts";
import type { Page, Response } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { copiedFrom } from "./clipboard.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea({ logs: true });
const browser = useBrowser();

interface Creation {
  /** The path of the list; its form is at `new` below it. */
  list: string;
  button: string;
  back: string;
  pattern: RegExp;
  fill(page: Page): Promise<void>;
}

const creations: [string, Creation][] = [
  [
    "a key",
    {
      list: "/developers/sandbox/keys",
      button: "Create key",
      back: "All keys",
      pattern: /^service_test_[0-9A-Za-z]{38}$/,
      fill: async () => {},
    },
  ],
  [
    "a subscription's secret",
    {
      list: "/developers/sandbox/webhooks",
      button: "Create subscription",
      back: "All subscriptions",
      pattern: /^whsec_/,
      fill: (page) => page.getByLabel("Endpoint URL").fill("https://shop.example.com/hooks"),
    },
  ],
];

describe.each(creations)("%s that was shown", (_name, { list, button, back, pattern, fill }) => {
  async function openForm(javaScriptEnabled = true): Promise<Page> {
    const page = await signInWithLink(await browser.open({ javaScriptEnabled }), await area.newLink());
    await page.goto(`${area.origin()}${list}/new`);
    await fill(page);
    return page;
  }

  /** Presses the button, and yields the secret that is shown. */
  async function create(page: Page): Promise<string> {
    await page.getByRole("button", { name: button }).click();
    const secret = (await page.locator("#secret").textContent()) ?? "";
    expect(secret).toMatch(pattern);
    return secret;
  }

  test("is not shown again on reload, and no second one is made", async () => {
    const page = await openForm();
    const secret = await create(page);
    await page.reload();
    expect(new URL(page.url()).pathname).toBe(list);
    expect(await page.content()).not.toContain(secret);
    expect(await page.locator("tbody tr").count()).toBe(1);
  });

  test.each([true, false])("is not shown again on Back, bfcache on, script %p", async (javaScriptEnabled) => {
    const page = await openForm(javaScriptEnabled);
    const secret = await create(page);
    await page.getByRole("link", { name: back }).click();
    await page.waitForURL(`**${list}`);
    // Chromium may ask whether to send the form again, which here gives an error page.
    await page.goBack({ waitUntil: "commit" }).catch(() => undefined);
    expect(await eventually(() => page.content())).not.toContain(secret);
  });

  test("is wiped as the page is left, and the page is dropped where a browser brings it back all the same", async () => {
    const page = await openForm();
    await create(page);
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))");
    expect(await page.locator("#secret").textContent()).toBe("");
    await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
    await page.waitForURL(`**${list}`);
  });

  test("stands in the answer to the form and nowhere else", async () => {
    const page = await openForm();
    const seen: { where: string; text: string }[] = [];
    const see = (where: string, value: unknown) => void seen.push({ where, text: JSON.stringify(value) });
    const read: Promise<void>[] = [];
    page.context().on("request", (request) => see("a request", [request.url(), request.postData(), request.headers()]));
    page.context().on("response", (response) => void read.push(seeAnswer(response)));
    async function seeAnswer(response: Response): Promise<void> {
      see("headers", await response.allHeaders());
      // The favicon is not part of any page.
      if (new URL(response.url()).pathname === "/favicon.svg") return;
      const isRedirect = response.status() === 303;
      const isAnswer = response.request().method() === "POST" && response.status() === 201;
      if (!isRedirect) see(isAnswer ? "the answer" : "another answer", await response.text());
    }

    const secret = await create(page);
    await Promise.all(read);
    see("storage", await page.evaluate("[{ ...localStorage }, { ...sessionStorage }, document.cookie]"));
    see("performance", await page.evaluate("performance.getEntries().map((entry) => entry.toJSON())"));
    see("history", await page.evaluate("[history.state, location.href, document.title, name]"));
    for (const path of [list, "/developers/sandbox", "/developers/audit", "/developers/quick-start"]) {
      await page.goto(area.origin() + path);
      await Promise.all(read);
    }
    see("the log", area.stack().logged());
    for (const part of parts) see(`the database of ${part}`, await everyRowOf(part));
    // The prefix of a secret is not secret, and a key's last four characters are shown.
    const inner = secret.replace(/^(service_test|whsec)_/, "").slice(0, -4);
    const places = seen.filter(({ text }) => text.includes(inner)).map(({ where }) => where);
    expect([...new Set(places)]).toEqual(["the answer"]);
  });

  test("is copied by its button, where there is a clipboard", async () => {
    const page = await openForm();
    const secret = await create(page);
    expect(await copiedFrom(page, page.getByRole("button", { name: "Copy" }).first())).toBe(secret);
  });
});

async function everyRowOf(part: (typeof parts)[number]): Promise<unknown[]> {
  const { pool } = area.stack().databases[part];
  const { rows: tables } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  const rows = tables.map(async ({ tablename }) => (await pool.query(`SELECT t::text FROM "${tablename}" AS t`)).rows);
  return Promise.all(rows);
}

test.each([true, false])(
  "after the sign-out, Back shows nothing of the account, script %p",
  async (javaScriptEnabled) => {
    const page = await signInWithLink(await browser.open({ javaScriptEnabled }), await area.newLink());
    await page.goto(`${area.origin()}/developers/sandbox/keys`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    await page.goBack({ waitUntil: "commit" }).catch(() => undefined);
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    expect(await page.content()).not.toContain("Nordlicht");
  },
);
