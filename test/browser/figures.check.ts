import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { createLabel } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { useSubscribers } from "../developers/subscribers.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { drawPage } from "./draw-page.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();
const { obedient, subscribed } = useSubscribers(area);

const FOLDER = join(import.meta.dirname, "../../docs/figures");
const MAX_BYTES = 30_000;

/** The texts of a picture, to compare it with the page of today. */
const textsIn = (picture: string) => [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);

/** `UPDATE_FIGURES=1` draws the picture again. Otherwise it must have the words of the page, in their order. */
async function expectPicture(page: Page, name: string, title: string, maxHeight: number): Promise<void> {
  const drawn = await drawPage(page, ".columns", title, maxHeight);
  const file = join(FOLDER, `${name}.svg`);
  if (process.env.UPDATE_FIGURES) writeFileSync(file, drawn);
  const kept = readFileSync(file, "utf8");
  expect(Buffer.byteLength(kept)).toBeLessThan(MAX_BYTES);
  expect(textsIn(kept)).toEqual(textsIn(drawn));
}

describe("the pictures of the developer area in the guides show its pages as they are", () => {
  let page: Page;
  let receiver: Awaited<ReturnType<typeof obedient>>;
  let path: string;
  beforeAll(async () => {
    receiver = await obedient();
    const { accountId, email, path: subscription } = await subscribed(receiver.receiver.url);
    path = subscription;
    const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(accountId)).key);
    for (const reference of ["PO-1040", "PO-1041", "PO-1042"]) await createLabel(api, { reference });
    const context = await browser.open({ viewport: { width: 960, height: 800 }, locale: "en-GB" });
    page = await signInWithLink(context, await area.newLink({ accountId, email }));
  });
  const open = (place: string) => page.goto(area.origin() + place);

  test("creating a key", async () => {
    await open("/developers/sandbox/keys/new");
    await expectPicture(page, "portal-create-key", "The form that creates an API key", 560);
  });

  test("creating a subscription", async () => {
    await open("/developers/sandbox/webhooks/new");
    await page.getByLabel("Endpoint URL").fill("https://shop.example.com/webhooks");
    await expectPicture(page, "portal-create-subscription", "The form that creates a webhook subscription", 560);
  });

  test("printing several labels", async () => {
    await open("/developers/sandbox/labels");
    for (const box of (await page.locator("td input[type=checkbox]").all()).slice(0, 2)) await box.check();
    await page.mouse.move(0, 0);
    await expectPicture(page, "portal-merge-labels", "The list of labels, two of which are selected", 480);
  });

  test("sending a test", async () => {
    receiver.tell(204);
    await open(`${path}/test`);
    await page.getByRole("button", { name: "Send test" }).first().click();
    await page.getByText("Your receiver accepted every event of this test.").waitFor();
    await expectPicture(page, "portal-send-test", "The result of a test of a subscription", 470);
  });
});
