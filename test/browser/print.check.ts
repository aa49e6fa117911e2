import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { PDFDocument } from "@cantoo/pdf-lib";
import { drawPage } from "@shipping/portal/resources/draw-page";
import type { Page } from "playwright-core";
import { createLabel, createOrder, createShipment, RECORD } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

// Each page is printed to a PDF, and its first sheet compared with a picture in `pictures`, which people have looked at. The browser has only the
// fonts of `faces.ts`, so the machine's own do not matter. `UPDATE_PICTURES=1` writes them anew.

const area = useArea();
const browser = useBrowser();
const FOLDER = join(import.meta.dirname, "pictures");

/** The side of the squares whose mean darkness is compared, in pixels of a picture, and how much it may differ, of 255. */
const SIDE = 24;
const TOLERANCE = 20;

let page: Page;
let paths: Record<string, string>;
beforeAll(async () => {
  const link = await area.newLink();
  const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(link.accountId)).key);
  const order = await createOrder(api, { reference: "PO-1000" });
  const label = await createLabel(api, { reference: "PO-1001" });
  await createShipment(api, {
    reference: "PO-1002",
    to: { ...RECORD.to, name: "Anna Schneider", city: "Oranienburg" },
  });
  page = await signInWithLink(await browser.open({ viewport: { width: 1280, height: 800 } }), link);
  paths = { order: `orders/${order.id}`, shipment: `shipments/${label.shipment_id}`, list: "shipments" };
});

/** Puts the same text and the same label in the place of what differs from run to run. */
const CONSTANT = `{
  for (const time of document.querySelectorAll("time")) time.textContent = time.matches(".short") ? "0:00" : "Jan 1, 2027, 0:00 PM UTC";
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode())
    walk.currentNode.data = walk.currentNode.data
      .replace(/\\b([a-z]{2,4})_[a-z2-7]{26}/g, (id, prefix) => prefix + "_" + "a".repeat(26))
      .replace(/TEST\\d{20}/g, "TEST" + "0".repeat(20))
      .replace(/just now|\\d+ minutes? ago/g, "just now")
      .replace(/…\\w{4}\\b/g, "…0000");
  for (const image of document.querySelectorAll("img")) image.style.filter = "brightness(0)";
}`;

/** Prints a page on A4, and draws its first sheet. */
async function print(name: string) {
  await page.goto(`${area.origin()}/developers/sandbox/${paths[name]}`);
  await page.emulateMedia({ media: "print" });
  await page.evaluate(CONSTANT);
  const pdf = await PDFDocument.load(
    await page.pdf({ format: "A4", margin: { top: "1cm", left: "1cm", right: "1cm" } }),
  );
  const first = await PDFDocument.create();
  for (const sheet of await first.copyPages(pdf, [0])) first.addPage(sheet);
  const drawn = await drawPage(await first.save());
  if (!drawn) throw new Error(`The printed ${name} cannot be drawn.`);
  return Buffer.from(drawn);
}

/** The mean darkness of each square of a grey PNG that `drawPage` has made. */
function squaresOf(png: Buffer): number[] {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const rows = inflateSync(png.subarray(png.indexOf("IDAT") + 4, png.indexOf("IEND") - 8));
  const squares: number[] = [];
  for (let top = 0; top + SIDE <= height; top += SIDE)
    for (let left = 0; left + SIDE <= width; left += SIDE) {
      let sum = 0;
      for (let y = top; y < top + SIDE; y++)
        for (let x = left; x < left + SIDE; x++) sum += 255 - rows[y * (width + 1) + 1 + x]!;
      squares.push(sum / SIDE ** 2);
    }
  return squares;
}

test.each(["list", "order", "shipment"])("the printed %s looks like its picture", async (name) => {
  const printed = await print(name);
  const file = join(FOLDER, `${name}.png`);
  if (process.env.UPDATE_PICTURES) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, printed);
  }
  const [actual, expected] = [squaresOf(printed), squaresOf(readFileSync(file))];
  expect(actual).toHaveLength(expected.length);
  const differing = actual.filter((darkness, index) => Math.abs(darkness - expected[index]!) > TOLERANCE);
  // A browser of another release may break a line elsewhere.
  expect(differing.length).toBeLessThan(expected.length / 50);
});

test("a printed shipment has one column, no navigation, and its label in real size, with the words how to print it", async () => {
  await page.goto(`${area.origin()}/developers/sandbox/${paths.shipment}`);
  await page.emulateMedia({ media: "print" });
  const { width, height } = (await page.locator(".picture img").boundingBox())!;
  expect([width / 96, height / 96]).toEqual([4, 6]);
  expect(await page.getByText("if you print at 100 %").isVisible()).toBe(true);
  const sections = await page
    .locator(".halves > section")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  expect(new Set(sections).size).toBe(1);
  for (const hidden of await page.locator("nav, header, form, .actions").all())
    expect(await hidden.isVisible()).toBe(false);
});
