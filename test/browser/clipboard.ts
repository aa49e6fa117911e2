import type { Locator, Page } from "playwright-core";

/** Presses a copy button, and yields the clipboard as another page reads it. */
export async function copiedFrom(page: Page, button: Locator): Promise<string> {
  const { origin } = new URL(page.url());
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin });
  await page.bringToFront();
  await button.click();
  await page.getByRole("button", { name: "Copied" }).first().waitFor();
  const other = await page.context().newPage();
  await other.goto(`${origin}/developers/quick-start`);
  const text = await other.evaluate<string>("navigator.clipboard.readText()");
  await other.close();
  return text;
}
