import { expireKeys } from "@shipping/gateway/testing/stored-accounts";
import { storeCounts } from "@shipping/gateway/testing/stored-requests";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Page } from "playwright-core";
import { createLabel, createOrder, createShipment } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { useSubscribers } from "../developers/subscribers.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();
const { obedient, subscribed } = useSubscribers(area);

const LONG_WORD = "x".repeat(190);
const REFERENCE = "Weekly order";

/** An account with much activity and some failures. */
async function openBusy(): Promise<Page> {
  const { receiver } = await obedient(500);
  const { accountId, email, visitor } = await subscribed(`${receiver.url}&${LONG_WORD}`);
  for (const name of ["Warehouse", LONG_WORD]) await visitor.submit("/developers/sandbox/keys/new", { name });
  const { key } = await area.stack().newKey(accountId);
  const api = apiClient(area.stack().baseUrl, key);
  await createLabel(api);
  await createOrder(api, { reference: REFERENCE });
  for (let n = 0; n < 7; n++)
    await createShipment(api, {
      reference: REFERENCE,
      to: { name: LONG_WORD, street1: "1 Road", city: "York", postal_code: "YO1", country: "GB" },
    });
  await expireKeys(area.stack().databases.gateway, LONG_WORD, 2);
  await aDayOfRequests(accountId);
  return signInWithLink(await browser.open(), await area.newLink({ accountId, email }));
}

/** A day of requests, to make the screenshot realistic. */
async function aDayOfRequests(accountId: string): Promise<void> {
  for (let hoursAgo = 1; hoursAgo < 24; hoursAgo++) {
    await storeCounts(area.stack().databases.gateway, { accountId, environment: "sandbox" }, hoursAgo, {
      read: 3_000 + 2_000 * Math.sin(hoursAgo / 3),
      write: 900,
      replay: 12,
      invalid_request: hoursAgo * 20,
      internal_error: hoursAgo % 7,
    });
  }
}

describe("the overview and the search", () => {
  let page: Page;
  beforeAll(async () => {
    page = await openBusy();
  });

  test("the overview of a busy account is accessible, fits its window, and is within the keyboard's reach", async () => {
    await eventually(async () => {
      await page.goto(`${area.origin()}/developers/sandbox`);
      expect(await page.getByText("is failing").count()).toBe(1);
    });
    expect(await faultsOf(page, "busy overview")).toEqual([]);
  });

  test.each([REFERENCE, "nothing like it", `service_test_${LONG_WORD}`])(
    "a search for %s is accessible, too",
    async (text) => {
      await page.goto(`${area.origin()}/developers/sandbox`);
      await page.getByRole("searchbox", { name: "Search sandbox" }).fill(text);
      await page.getByRole("searchbox").press("Enter");
      await page.getByRole("heading", { name: "Search" }).waitFor();
      expect(await faultsOf(page, `search ${text.slice(0, 12)}`)).toEqual([]);
    },
  );
});
