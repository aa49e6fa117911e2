import { readFile } from "node:fs/promises";
import { operations } from "@shipping/api/operations/operations";
import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { FEWER_WINDOWS, faultsOf } from "./look.js";

const browser = useBrowser();
const area = useArea();
const IDS = operations.map(({ operationId }) => operationId);

/** The requests of the page to the API so far: `POST /orders`, with its key. */
interface Sent {
  operation: string;
  key: string | undefined;
  status: number;
}

/** A reader with a new account's sandbox key, who looks at an operation. */
async function openReference(id = "getAccount") {
  const page = await (await browser.open()).newPage();
  const sent: Sent[] = [];
  page.on("response", (response) => {
    const request = response.request();
    const path = new URL(request.url()).pathname;
    if (!path.startsWith("/api/v1/")) return;
    const operation = `${request.method()} ${path.slice("/api/v1".length).replace(/\b(?:(ord|shp|lbl|whk)_[a-z2-7]{26}|TEST\w+)/g, "…")}`;
    sent.push({ operation, key: request.headers()["idempotency-key"], status: response.status() });
  });
  await open(page, id);
  await authorize(page, (await area.stack().newCustomer()).sandbox);
  return { page, sent };
}

const open = (page: Page, id: string) => page.goto(`${area.origin()}/docs/reference/${id}`);
const authorize = (page: Page, key: string) => page.getByLabel("API key").fill(key);

/** Sends the request as it stands, and yields the status that the page shows. */
async function send(page: Page): Promise<string> {
  const answered = page.waitForResponse((response) => response.url().includes("/api/v1/"));
  await page.getByRole("button", { name: "Send request" }).click();
  await answered;
  return (await page.locator(".sent .status strong").textContent()) ?? "";
}

test("every operation works as it stands, from top to bottom, with a fresh sandbox key", async () => {
  const { page, sent } = await openReference();
  const violations: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) violations.push(message.text());
  });
  await page.goto(`${area.origin()}/docs/reference`);
  const links = await page.locator(".operations a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  expect(links).toEqual(IDS.map((id) => `/docs/reference/${id}`));
  for (const id of IDS) {
    await open(page, id);
    expect([id, await send(page)]).toEqual([id, expect.stringMatching(/^20[01]/)]);
  }
  const keys = sent.flatMap(({ key }) => key ?? []);
  expect(keys).toHaveLength(operations.filter(({ method }) => method !== "GET").length);
  expect(new Set(keys).size).toBe(keys.length);
  expect(violations).toEqual([]);
});

test("a shipment can be the first thing that is made, and made again", async () => {
  const { page, sent } = await openReference("createShipment");
  expect(await send(page)).toMatch(/^201/);
  expect(await send(page)).toMatch(/^201/);
  const [first, second] = sent.filter(({ operation }) => operation === "POST /shipments");
  expect(first?.key).not.toBe(second?.key);
});

test("a key that the reader enters is sent as it is, and another account's ids are forgotten", async () => {
  const { page, sent } = await openReference("createOrder");
  await page.getByLabel("Idempotency-Key").fill("my-order");
  expect(await send(page)).toMatch(/^201/);
  expect(sent.at(-1)?.key).toBe("my-order");
  expect(await page.locator(".sent").textContent()).toContain("my-order");
  await open(page, "createShipment");
  expect(await page.getByLabel("Body").inputValue()).toContain('"order_id"');
  await authorize(page, (await area.stack().newCustomer()).sandbox);
  expect(await send(page)).toMatch(/^201/);
});

test("the fields have the IDs of the latest resources, and the reader's own text stays", async () => {
  const { page } = await openReference("createShipment");
  expect(await send(page)).toMatch(/^201/);
  const made = /"id": "(shp_\w+)"/.exec((await page.locator(".sent pre").textContent()) ?? "")?.[1] ?? "";
  await open(page, "getShipment");
  expect(await page.getByLabel("id", { exact: true }).inputValue()).toBe(made);
  await open(page, "createLabel");
  expect(JSON.parse(await page.getByLabel("Body").inputValue())).toMatchObject({
    shipment_id: made,
    rate_id: `rate_test_${made}`,
  });
  await page.getByLabel("Body").fill("{");
  expect(await send(page)).toMatch(/^400/);
  expect(await page.getByLabel("Body").inputValue()).toBe("{");
});

test("the answer is shown with its time, its headers, and what to do about an error", async () => {
  const { page } = await openReference("getLabel");
  expect(await page.getByText("This is an example id").isVisible()).toBe(true);
  expect(await send(page)).toMatch(/^404/);
  const shown = (await page.locator(".sent").textContent()) ?? "";
  expect(shown).toMatch(/404 Not Found in \d+ ms/);
  for (const header of ["x-request-id", "ratelimit"]) expect(shown).toContain(header);
  expect(shown).toContain('"code": "not_found"');
  await page.locator(".sent").getByRole("link", { name: "not_found" }).click();
  expect(new URL(page.url()).hash).toBe("#not_found");
});

test("a repeated request shows that it was replayed", async () => {
  const { page } = await openReference("createOrder");
  await page.getByLabel("Idempotency-Key").fill("again");
  await send(page);
  await send(page);
  expect(await page.locator(".sent").textContent()).toContain("idempotency-replayed");
});

test("a PDF becomes a download", async () => {
  const { page } = await openReference("createShipment");
  for (const id of ["createShipment", "createLabel", "getLabelFile"]) {
    await open(page, id);
    expect([id, await send(page)]).toEqual([id, expect.stringMatching(/^20[01]/)]);
  }
  const downloading = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download label.pdf" }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe("label.pdf");
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe("%PDF-");
});

test("says that a key is missing, warns of a live one, and keeps it in this tab alone", async () => {
  const { page, sent } = await openReference("listOrders");
  await authorize(page, "");
  await page.getByRole("button", { name: "Send request" }).click();
  await page.getByText("Enter an API key first").waitFor();
  expect(sent).toEqual([]);
  const { key: live } = await area.stack().newKey(await area.stack().newAccount("Nordlicht"), "live");
  await authorize(page, live);
  await page.getByLabel("limit").fill("1");
  await page.getByText("This is a live key").waitFor();
  expect(await send(page)).toMatch(/^200/);
  expect(await page.evaluate("JSON.stringify(localStorage) + document.cookie")).not.toContain(live);
  const other = await page.context().newPage();
  await open(other, "listOrders");
  expect(await other.getByLabel("API key").inputValue()).toBe("");
});

test("works in a browser without storage", async () => {
  const context = await browser.open();
  await context.addInitScript(`for (const name of ["sessionStorage", "localStorage"])
    Object.defineProperty(window, name, { get() { throw new Error("None here."); } });`);
  const page = await context.newPage();
  await open(page, "createOrder");
  await authorize(page, (await area.stack().newCustomer()).sandbox);
  expect(await send(page)).toMatch(/^201/);
});

test("says that the outcome of a request without a response is unknown", async () => {
  const { page } = await openReference("listOrders");
  await page.route("**/api/v1/orders*", (route) => route.abort());
  await page.getByRole("button", { name: "Send request" }).click();
  await page.getByText("It is not known whether the API has received it").waitFor();
  await page.unroute("**/api/v1/orders*");
  expect(await send(page)).toMatch(/^200/);
});

describe("the reference is accessible, fits its window, and is within the keyboard's reach", () => {
  // One page of each kind is tested in all windows.
  const kinds = ["", "/listOrders", "/createShipment", "/getLabelFile"];
  test.each(["", ...IDS.map((id) => `/${id}`)])("/docs/reference%s", async (path) => {
    const page = await (await browser.open()).newPage();
    await page.goto(`${area.origin()}/docs/reference${path}`);
    expect(await faultsOf(page, `reference${path}`, kinds.includes(path) ? undefined : FEWER_WINDOWS)).toEqual([]);
  });

  test("with an answer, too", async () => {
    const { page } = await openReference("createShipment");
    await send(page);
    expect(await faultsOf(page, "an answer")).toEqual([]);
  });

  test("and without a script only the form that sends is missing", async () => {
    const page = await (await browser.open({ javaScriptEnabled: false })).newPage();
    await open(page, "createLabel");
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual(
      expect.arrayContaining(["Request", "Response", "Request fields", "Response fields", "Errors"]),
    );
    expect(await page.getByRole("button", { name: "Send request" }).count()).toBe(0);
    for (const language of ["curl", "TypeScript", "Python"])
      expect(await page.getByText(language, { exact: true }).first().isVisible()).toBe(true);
  });
});
