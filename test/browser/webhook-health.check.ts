import { EVENT_TYPES } from "@shipping/proto/event-types";
import { storeHours, storeLastAttempts } from "@shipping/webhooks/testing/stored-health";
import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { LIST, useSubscribers } from "../developers/subscribers.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();
const { obedient, subscribed } = useSubscribers(area);

const press = (page: Page, name: string) => page.getByRole("button", { name }).click();
const LONG_URL = `https://shop.example.com/${"x".repeat(200)}`;

/** A page of an admin with a subscription to a receiver, or to a URL. */
async function open(url: string, environment?: string) {
  const { path, id, accountId, email } = await subscribed(url, EVENT_TYPES, environment);
  const page = await signInWithLink(await browser.open(), await area.newLink({ accountId, email }));
  return { page, id, go: (below = "") => page.goto(area.origin() + path + below) };
}

/** A day of attempts, to make the screenshot realistic. */
async function aDayOf(id: string, isFailing: boolean): Promise<void> {
  const { webhooks } = area.stack().databases;
  const hours = Array.from({ length: 24 }, (_, n) =>
    isFailing && n <= 5
      ? { failed: 300 + 40 * n, exhausted: 7 }
      : { delivered: 900 + 700 * Math.sin(n / 3), failed: n % 5 },
  );
  await storeHours(webhooks, id, hours);
  await storeLastAttempts(webhooks, id, { successHoursAgo: 6, reason: "tls_expired", isFailing });
}

describe("every page is accessible, fits its window, and is within the keyboard's reach", () => {
  const nothingWrong = async (page: Page, name: string) => expect(await faultsOf(page, name)).toEqual([]);

  test("a new subscription, a healthy one, one that fails, one that is disabled, one that is live; their list", async () => {
    const { page, go, id } = await open(LONG_URL);
    await go();
    await nothingWrong(page, "health new");
    await aDayOf(id, false);
    await go();
    for (const summary of await page.getByText("Show table").all()) await summary.click();
    await nothingWrong(page, "health good");
    for (const url of ["https://failing.example.com/hooks", "https://disabled.example.com/hooks"]) {
      await page.goto(`${area.origin()}${LIST}/new`);
      await page.getByLabel("Endpoint URL").fill(url);
      await press(page, "Create subscription");
      await page.getByRole("link", { name: "All subscriptions" }).click();
    }
    await page.getByRole("link", { name: "failing.example.com", exact: true }).click();
    await page.waitForURL("**/whk_*");
    await aDayOf(page.url().split("/").at(-1) ?? "", true);
    await page.reload();
    await nothingWrong(page, "health failing");
    await page.goto(`${area.origin()}${LIST}`);
    await page.getByRole("link", { name: "disabled.example.com", exact: true }).click();
    await page.waitForURL("**/whk_*");
    const disabled = page.url();
    await page.getByRole("link", { name: "Disable subscription" }).click();
    await press(page, "Disable subscription");
    await page.getByText("Subscription disabled").first().waitFor();
    await nothingWrong(page, "health list");
    await page.goto(disabled);
    await nothingWrong(page, "health disabled");
  });

  test("a live one, which is not tested", async () => {
    const { page, go } = await open(LONG_URL, "live");
    await go();
    await nothingWrong(page, "health live");
  });

  test("a test whose answers are awaited, then one that was delivered, then one that failed", async () => {
    const { receiver, tell } = await obedient();
    const { page, go } = await open(receiver.url);
    await go("/test");
    await nothingWrong(page, "test none");
    await press(page, "Send test");
    await page
      .getByText("Waiting for the response")
      .nth(EVENT_TYPES.length - 1)
      .waitFor();
    await page.getByRole("link", { name: "Stop refreshing" }).click();
    await page.waitForURL("**refresh=off");
    await nothingWrong(page, "test waiting");
    await page.getByRole("link", { name: "Refresh now" }).click();
    // On a slow machine, the attempts of the first test have ended by now.
    tell(204);
    await press(page, "Send test");
    await page.getByText("Your receiver accepted every event of this test.").waitFor();
    await nothingWrong(page, "test delivered");
    tell(500);
    await press(page, "Send test");
    await page
      .getByText("Will be retried")
      .nth(EVENT_TYPES.length - 1)
      .waitFor();
    await nothingWrong(page, "test failed");
  });
});
