import type { BrowserContext, Page } from "playwright-core";

/** A page of somebody who has signed in with a link. */
export async function signInWithLink(context: BrowserContext, link: { url: string }): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link.url);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/developers/sandbox");
  return page;
}
