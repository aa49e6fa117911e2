import { randomUUID } from "node:crypto";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Page } from "playwright-core";
import { RECORD } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

const LIST = "/developers/sandbox/requests";
const LONG = "x".repeat(190);

/** Sends a write, and yields the ID of the request. */
async function post(path: string, key: string, body: unknown, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(area.stack().baseUrl + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return answer.headers.get("x-request-id") ?? "";
}

/** Reloads a page of requests until the log has the row. */
const openOnceLogged = (page: Page, path: string) =>
  eventually(async () => expect((await page.goto(area.origin() + path))?.status()).toBe(200));

/** The words that wrap in the columns after the first. */
const BROKEN_WORDS = `[...document.querySelectorAll("td:not(:first-child), th")].flatMap((cell) => {
  const words = [];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (const { 0: word, index } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) words.push(word);
    }
  }
  return words;
})`;

describe("the pages of requests are accessible, fit their window, and work with the keyboard", () => {
  const ids: Record<string, string> = {};
  let page: Page;
  beforeAll(async () => {
    const accountId = await area.stack().newAccount();
    const { key } = await area.stack().newKey(accountId);
    ids["that made an order"] = await post("/orders", key, RECORD, { "idempotency-key": "order-1" });
    ids["that repeats it"] = await post("/orders", key, RECORD, { "idempotency-key": "order-1" });
    const faults = { ...RECORD, to: {}, [`${LONG}.${LONG}`]: 1, "<b>": 1 };
    for (let n = 0; n < 55; n++) await post(`/labels/${LONG}/void`, key, {});
    const long = { "user-agent": LONG, "idempotency-key": LONG.slice(0, 128) };
    ids["that was refused, with names that are too long"] = await post("/orders", key, faults, long);
    page = await signInWithLink(await browser.open(), await area.newLink({ accountId }));
    await openOnceLogged(page, `${LIST}/${ids["that was refused, with names that are too long"]}`);
  });

  const opened = async (path: string, name: string) => {
    await page.goto(area.origin() + path);
    return faultsOf(page, `requests ${name}`);
  };

  test.each([930, 1024, 1280])("%s pixels are enough for the list, and no word but a path is broken", async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(area.origin() + LIST);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    expect(await page.evaluate<string[]>(BROKEN_WORDS)).toEqual([]);
  });

  test.each(["that made an order", "that repeats it", "that was refused, with names that are too long"])(
    "a request %s",
    async (name) => expect(await opened(`${LIST}/${ids[name]}`, name)).toEqual([]),
  );

  test.each([
    ["a list of several pages", LIST],
    ["a filter", `${LIST}?status=4xx&method=POST&from=2026-01-01T00:00`],
    ["a filter that nothing passes", `${LIST}?status=5xx`],
    ["a search that finds", `${LIST}?q=order-1`],
    ["a search that finds nothing", `${LIST}?q=${LONG}`],
    ["an empty list", "/developers/live/requests"],
    ["a request that is not there", `${LIST}/req_mfrggzdfmztwq2lknnwg23tpoa`],
  ])("%s", async (name, path) => expect(await opened(path, name)).toEqual([]));
});
