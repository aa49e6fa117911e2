import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { FACES } from "./faces.js";

type Face = keyof typeof FACES;

const WINDOWS = [
  { width: 1280, colorScheme: "light", face: "wide" },
  { width: 1280, colorScheme: "dark", face: "narrow" },
  { width: 390, colorScheme: "light", face: "wide" },
  { width: 390, colorScheme: "dark", face: "narrow" },
] as const;
/**
 * What is left to see of a page whose like has been seen in all windows: what scrolls where it is narrow, both sets of colours and both faces. Words in
 * code have the same colours everywhere.
 */
export const FEWER_WINDOWS = [WINDOWS[1], WINDOWS[2]];
const WORDS_IN_CODE = "pre code *";
/** Where a page is tightest: what WCAG 2.2 asks for under 1.4.10, and where columns (from 45rem) and tables (from 58rem) have just found room. */
const TIGHT = [929, 721, 320];
/** The rules whose finding depends on colours. In the dark, the others would find what they find in the light. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
/** How often Tab is pressed before the page is asked what is missing. */
const AT_ONCE = 10;
const axe = readFileSync(createRequire(import.meta.filename).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * What is wrong with a page as it is, on a desk and on a telephone, in light and dark. With `SCREENSHOTS` set to a folder, leaves
 * there what it looked like, as `name`.
 */
export async function faultsOf(
  page: Page,
  name: string,
  windows: readonly (typeof WINDOWS)[number][] = WINDOWS,
): Promise<string[]> {
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(axe);
  const found: string[] = [];
  for (const { width, colorScheme, face } of windows) {
    await page.setViewportSize({ width, height: 800 });
    await putOn(page, face);
    await page.emulateMedia({ colorScheme });
    found.push(
      ...(await violationsOn(page, colorScheme, windows === FEWER_WINDOWS ? [WORDS_IN_CODE] : [])).map(
        (violation) => `${colorScheme}, ${width} pixels: ${violation}`,
      ),
    );
    await keepScreenshot(page, `${name}-${width}-${colorScheme}`);
  }
  for (const face of ["narrow", "wide"] as const) {
    await putOn(page, face);
    for (const width of TIGHT) {
      await page.setViewportSize({ width, height: 800 });
      for (const words of await whatSticksOut(page)) found.push(`${face}: wider than ${width} pixels: ${words}`);
      await keepScreenshot(page, `${name}-${width}-${face}`);
    }
  }
  return [...found, ...(await outOfReach(page))];
}

const putOn = (page: Page, face: Face) =>
  page.evaluate(`document.documentElement.style.fontFamily = ${JSON.stringify(FACES[face])}`);

async function violationsOn(page: Page, colorScheme: "light" | "dark", exclude: string[]): Promise<string[]> {
  const rules = colorScheme === "dark" && { runOnly: OF_COLOURS };
  // What axe would load anew is for rules about films and sounds, of which there are none.
  const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...rules });
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${JSON.stringify({ exclude })}, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** The page, if it can be scrolled to its right, and the first elements that reach out there. */
async function whatSticksOut(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`{
    const { scrollWidth, clientWidth } = document.documentElement;
    const isCut = ({ parentElement: box }) => box && (getComputedStyle(box).overflowX !== "visible" || isCut(box));
    const sticksOut = (element) => element.getBoundingClientRect().right > clientWidth && !isCut(element);
    const found = scrollWidth > clientWidth ? ["the page", ...[...document.body.querySelectorAll("*")].filter(sticksOut)] : [];
    found.slice(0, 5).map((element) => element.outerHTML?.slice(0, 120) ?? element);
  }`);
}

async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name.replace(/\W+/g, "-")}.png`, fullPage: true });
}

/** The links, buttons and fields that the Tab key does not come to, or where nobody would see that it did. Tabs are one stop. */
async function outOfReach(page: Page): Promise<string[]> {
  const controls = await page.evaluate<number>(`{
    const controls = [...document.querySelectorAll("a, button:not([role=tab][tabindex='-1']), input:not([type=hidden]), select, summary")];
    globalThis.missing = new Set(controls.filter((control) => control.checkVisibility()));
    addEventListener("focusin", ({ target }) => {
      if (getComputedStyle(target).outlineStyle !== "none") missing.delete(target);
    });
    missing.size;
  }`);
  // Boxes that scroll are stops, too.
  for (let step = 0; step <= 4 * controls && (await page.evaluate("missing.size")); step += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => page.keyboard.press("Tab")));
  return page.evaluate<string[]>("[...missing].map((control) => 'the keyboard misses ' + control.outerHTML)");
}
