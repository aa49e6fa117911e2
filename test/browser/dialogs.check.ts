import type { Page } from "playwright-core";
import { createLabel } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { useSubscribers } from "../developers/subscribers.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { FEWER_WINDOWS, faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();
const { subscribed } = useSubscribers(area);

/** An act of an admin that cannot be undone: where its link is, the link's name, and what the dialog and the message afterwards say. */
async function dangers() {
  const owner = await subscribed("https://shop.example.com/hooks");
  const link = await area.newLink(owner);
  const stack = area.stack();
  const { accountId } = link;
  const { key } = await stack.newKey(accountId);
  const label = await createLabel(apiClient(stack.baseUrl, key));
  const { email } = await area.signIn({ accountId, role: "viewer" });
  const page = await signInWithLink(await browser.open(), link);
  return {
    page,
    dangers: [
      {
        path: "/sandbox/keys",
        link: /^Revoke the key/,
        named: key.slice(-4),
        button: "Revoke key",
        done: "Key revoked",
      },
      {
        path: `/sandbox/labels/${label.id}`,
        link: "Void label",
        named: label.tracking_number,
        button: "Void label",
        done: "Label voided",
      },
      {
        path: "/sandbox/webhooks",
        link: /^Disable /,
        named: "https://shop.example.com/hooks",
        button: "Disable subscription",
        done: "Subscription disabled",
      },
      { path: "/members", link: `Remove ${email}`, named: email, button: "Remove member", done: "Member removed" },
      {
        path: "/sessions",
        link: "Sign out everywhere",
        named: "every device",
        button: "Sign out everywhere",
        done: "You are signed out of the account",
      },
    ],
  };
}

const focused = (page: Page) => page.evaluate<string>("document.activeElement.textContent.trim()");

test("what cannot be undone is asked in a dialog, which Escape and Cancel close, with the focus where it was", async () => {
  const { page, dangers: all } = await dangers();
  for (const { path, link, named, button, done } of all) {
    await page.goto(`${area.origin()}/developers${path}`);
    const asker = page.getByRole("link", { name: link });
    await asker.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByText(named).first().waitFor();
    expect(await focused(page)).toBe("Cancel");
    // A modal dialog keeps the focus within itself and the browser's own controls.
    for (let tab = 0; tab < 3; tab++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.matches('body, dialog *')")).toBe(true);
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await asker.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press("Enter");
    await dialog.getByRole("link", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    await asker.click();
    await dialog.getByRole("button", { name: button }).click();
    await page.getByText(done).first().waitFor();
  }
});

test("a dialog is accessible and fits every window", async () => {
  const { page } = await dangers();
  await page.goto(`${area.origin()}/developers/sandbox/keys`);
  await page.getByRole("link", { name: /^Revoke the key/ }).click();
  await page.getByRole("dialog").waitFor();
  // Behind a dialog, nothing is within reach, which is its purpose.
  const faults = await faultsOf(page, "dialog", FEWER_WINDOWS);
  expect(faults.filter((fault) => !fault.startsWith("the keyboard misses"))).toEqual([]);
});

test("a page that asks for more, such as a new sign-in, is opened instead", async () => {
  const link = await area.newLink();
  await area.signIn({ accountId: link.accountId, role: "viewer" });
  const page = await signInWithLink(await browser.open(), link);
  await page.goto(`${area.origin()}/developers/members`);
  await area.ageSignIn(link.email);
  await page
    .getByRole("link", { name: /^Remove / })
    .first()
    .click();
  await page.waitForURL("**/remove");
});

test("a page that has shown newer facts still asks in a dialog", async () => {
  const context = await browser.open();
  const page = await signInWithLink(context, await area.newLink());
  await page.goto(`${area.origin()}/developers/sandbox/webhooks/new`);
  await page.getByLabel("Endpoint URL").fill("https://shop.example.com/hooks");
  await page.getByRole("button", { name: "Create subscription" }).click();
  await page.getByRole("link", { name: "All subscriptions" }).click();
  await page.getByRole("link", { name: "shop.example.com", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: /^shop\.example\.com/ }).waitFor();
  const other = await context.newPage();
  await other.goto(`${page.url()}/name`);
  await other.getByLabel("Name").fill("Shop");
  await other.keyboard.press("Enter");
  await other.getByRole("heading", { level: 1, name: /^Shop/ }).waitFor();
  // The page asks for its facts as soon as it is in sight again.
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole("heading", { level: 1, name: /^Shop/ }).waitFor();
  await page.getByRole("link", { name: "Disable subscription" }).click();
  await page.getByRole("dialog").getByText("https://shop.example.com/hooks").waitFor();
});
