import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";

const browser = useBrowser();
const area = useArea();

/** What the page has sent to the API so far: `POST /orders`, with its key. */
interface Sent {
  operation: string;
  key: string | undefined;
  status: number;
}

/** Opens the reference, and gives it a new account's sandbox key. */
async function openReference() {
  const page = await (await browser.open()).newPage();
  await page.goto(`${area.origin()}/docs/reference`);
  const sent: Sent[] = [];
  page.on("response", async (response) => {
    const request = response.request();
    const path = new URL(request.url()).pathname.replace("/api/v1", "");
    const operation = `${request.method()} ${path.replace(/\b(?:(ord|shp|lbl|whk)_[a-z2-7]{26}|TEST\w+)/g, "…")}`;
    sent.push({ operation, key: request.headers()["idempotency-key"], status: response.status() });
  });
  await authorize(page, (await area.stack().newCustomer()).sandbox);
  return { page, sent };
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: "Authorize" }).first().click();
  const dialog = page.locator(".modal-ux");
  if (await dialog.getByRole("button", { name: "Remove authorization" }).count())
    await dialog.getByRole("button", { name: "Remove authorization" }).click();
  await dialog.getByRole("textbox").fill(key);
  await dialog.getByRole("button", { name: "Apply credentials" }).click();
  await dialog.getByRole("button", { name: "Close" }).last().click();
}

const blockOf = (page: Page, operationId: string) => page.locator(`.opblock[id$="-${operationId}"]`);

/** Opens an operation, sends it as it stands, and yields the status that the page shows. */
async function tryOut(page: Page, operationId: string): Promise<string> {
  const block = blockOf(page, operationId);
  await block.locator(".opblock-summary-control").click();
  await block.getByRole("button", { name: "Try it out" }).click();
  return execute(page, operationId);
}

async function execute(page: Page, operationId: string): Promise<string> {
  const block = blockOf(page, operationId);
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await block.getByRole("button", { name: "Execute" }).click();
  await answered;
  await block.locator(".live-responses-table tbody .response-col_status").first().waitFor();
  const [status = ""] = await block.locator(".live-responses-table tbody .response-col_status").allTextContents();
  return status.trim();
}

test("every operation works as it stands, from top to bottom, with a fresh sandbox key", async () => {
  const { page, sent } = await openReference();
  await page.locator(".opblock").first().waitFor();
  // The others are what a subscription is sent.
  const shown = await page.locator(".opblock").evaluateAll((blocks) => blocks.map(({ id }) => id.split("-").at(-1)));
  const ids = shown.filter((id) => routes.some(({ handler }) => handler.name === id));
  expect(ids).toEqual(expect.arrayContaining(routes.map(({ handler }) => handler.name)));
  for (const id of ids) {
    expect([id, await tryOut(page, id ?? "")]).toEqual([id, expect.stringMatching(/^20[01]/)]);
    // Swagger UI slows down with each block that is open.
    await blockOf(page, id ?? "")
      .locator(".opblock-summary-control")
      .click();
  }
  const keys = sent.flatMap(({ key }) => key ?? []);
  expect(keys).toHaveLength(routes.filter(({ method }) => method !== "GET").length);
  expect(new Set(keys).size).toBe(keys.length);
  await page.context().close();
}, 240_000);

test("a shipment can be the first thing that is made, and made again", async () => {
  const { page, sent } = await openReference();
  expect(await tryOut(page, "createShipment")).toMatch(/^201/);
  expect(await execute(page, "createShipment")).toMatch(/^201/);
  const [first, second] = sent.filter(({ operation }) => operation === "POST /shipments");
  expect(first?.key).not.toBe(second?.key);
  await page.context().close();
});

test("a key that the reader enters is sent as it is, and another account's ids are forgotten", async () => {
  const { page, sent } = await openReference();
  const field = blockOf(page, "createOrder").getByPlaceholder("Idempotency-Key");
  await blockOf(page, "createOrder").locator(".opblock-summary-control").click();
  await blockOf(page, "createOrder").getByRole("button", { name: "Try it out" }).click();
  await field.fill("my-order");
  expect(await execute(page, "createOrder")).toMatch(/^201/);
  expect(sent.at(-1)?.key).toBe("my-order");
  await authorize(page, (await area.stack().newCustomer()).sandbox);
  expect(await tryOut(page, "createShipment")).toMatch(/^201/);
  await page.context().close();
});
