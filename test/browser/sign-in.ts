import type { BrowserContext, Page } from "playwright-core";
import { withoutScripts } from "./browser.js";

/** Opens a link with a fragment, which the page's script passes on. Without scripts, it has to be pasted. */
export async function openLink(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "commit" });
  if (!withoutScripts.has(page.context())) return;
  await page.getByLabel("Link").fill(url);
  await page.getByRole("button", { name: "Continue" }).click();
}

/** A page of a person who has signed in with a link. */
export async function signInWithLink(context: BrowserContext, link: { url: string }): Promise<Page> {
  const page = await context.newPage();
  await openLink(page, link.url);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/developers/sandbox");
  return page;
}
