import { readFile } from "node:fs/promises";
import { PDFDocument } from "@cantoo/pdf-lib";
import type { Page } from "playwright-core";
import { createLabel, createShipment, RECORD } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
// The look sets the width itself and leaves the page narrow, so it runs once, at the phone's width.
const isLookedAt = ({ viewport, javaScriptEnabled }: (typeof ways)[number]) =>
  javaScriptEnabled && viewport.width < 500;
const ways = sizes.flatMap((viewport) => [true, false].map((javaScriptEnabled) => ({ viewport, javaScriptEnabled })));

describe.each(ways)(
  "a viewer who is on the telephone, with $viewport.width pixels, script: $javaScriptEnabled",
  (options) => {
    let page: Page;
    beforeAll(async () => {
      const link = await area.newLink({ role: "viewer" });
      const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(link.accountId)).key);
      const to = {
        ...RECORD.to,
        name: "Anna Schneider",
        city: "Oranienburg",
        phone: "+49 151 987654321",
        email: "a@example.com",
      };
      for (let n = 0; n < 3; n++) await createLabel(api, { reference: `PO-2${n}` });
      await createShipment(api, { to, reference: "PO-10403-with-a-name-that-is-longer-than-a-column" });
      page = await signInWithLink(await browser.open(options), link);
    });

    const search = async (text: string) => {
      const box = page.getByRole("banner").getByRole("searchbox");
      if (options.javaScriptEnabled) await page.keyboard.press("/");
      else await box.focus();
      await box.fill(text);
      await page.keyboard.press("Enter");
      await page.waitForURL(`**/search?q=${text}`);
    };

    test.each(["schneider", "4321", "10403", "oranien"])("finds the shipment by %s, and opens it", async (text) => {
      await search(text);
      const result = page.locator("[data-result]");
      expect(await page.locator("mark").allTextContents()).not.toEqual([]);
      if (isLookedAt(options)) expect(await faultsOf(page, `support search ${text}`)).toEqual([]);
      if (options.javaScriptEnabled) {
        await page.getByRole("banner").getByRole("searchbox").focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("Enter");
      } else await result.click();
      await page.getByRole("heading", { level: 1, name: /^PO-10403/ }).waitFor();
    });

    if (options.javaScriptEnabled) {
      test("turns the key that goes to the search off, and on", async () => {
        const box = page.getByRole("banner").getByRole("searchbox");
        const isFocused = async () => {
          await page.goto(`${area.origin()}/developers/sandbox/search`);
          await page.keyboard.press("/");
          return box.evaluate((element) => element === document.activeElement);
        };
        const choose = () => page.getByLabel("The / key goes to the search").click();
        const focused = [await isFocused()];
        await choose();
        focused.push(await isFocused());
        await choose();
        expect([...focused, await isFocused()]).toEqual([true, false, true]);
      });
    }

    test("puts three labels into one PDF, and takes the day with it", async () => {
      await page.goto(`${area.origin()}/developers/sandbox/shipments`);
      if (isLookedAt(options)) {
        expect(await faultsOf(page, "support list")).toEqual([]);
        // The look ends with the focus in the search, whose hint lies over the list.
        await page.reload();
      }
      for (const box of await page.getByRole("checkbox").all()) await box.check();
      const merged = page.waitForEvent("download");
      await page.getByRole("button", { name: "Merge into one PDF" }).click();
      const pdf = await PDFDocument.load(await readFile(await (await merged).path()));
      expect(pdf.getPageCount()).toBe(3);

      const day = new Date().toISOString().slice(0, 10);
      await page.goto(`${area.origin()}/developers/sandbox/shipments?from=${day}&to=${day}`);
      const csv = page.waitForEvent("download");
      await page.getByRole("link", { name: "Export CSV" }).click();
      const text = await readFile(await (await csv).path(), "utf8");
      expect(text.trimEnd().split("\r\n")).toHaveLength(5);
    });
  },
);
