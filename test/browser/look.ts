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
 * The views of a page whose kind has been tested in all windows: scrolling where it is narrow, both colour schemes and both fonts. Code has the
 * same colours everywhere.
 */
export const FEWER_WINDOWS = [WINDOWS[1], WINDOWS[2]];
const WORDS_IN_CODE = "pre code *";
/** The tightest widths of a page: that of WCAG 2.2, 1.4.10, and the smallest with columns (45rem) and with tables (58rem). */
const TIGHT = [929, 721, 320];
/** The rules whose result depends on colours. The others would find the same in dark mode as in light mode. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];
/** How often Tab is pressed between two checks for elements that have not had the focus yet. */
const AT_ONCE = 10;
const axe = readFileSync(createRequire(import.meta.filename).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * The faults of a page on a desktop and on a phone, in light and dark. If `SCREENSHOTS` is set to a folder, saves screenshots there under `name`.
 */
export async function faultsOf(
  page: Page,
  name: string,
  windows: readonly (typeof WINDOWS)[number][] = WINDOWS,
): Promise<string[]> {
  // Evaluated, because the page's policy forbids adding a script.
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
  // axe would load media again for rules about video and audio, which these pages do not have.
  const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...rules });
  const { violations } = await page.evaluate<AxeResult>(`axe.run(${JSON.stringify({ exclude })}, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** The page if it scrolls horizontally, and the first elements that exceed its width. */
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

/** The links, buttons and fields that Tab does not reach, or that do not show their focus. Tabs are one stop, and so are options with their field. */
async function outOfReach(page: Page): Promise<string[]> {
  const controls = await page.evaluate<number>(`{
    const controls = [...document.querySelectorAll("a:not([role=option]), button:not([role=tab][tabindex='-1']), input:not([type=hidden]), select, summary")];
    globalThis.missing = new Set(controls.filter((control) => control.checkVisibility()));
    addEventListener("focusin", ({ target }) => {
      if (getComputedStyle(target).outlineStyle !== "none") missing.delete(target);
    });
    missing.size;
  }`);
  // Boxes that scroll are tab stops, too.
  for (let step = 0; step <= 4 * controls && (await page.evaluate("missing.size")); step += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => page.keyboard.press("Tab")));
  return page.evaluate<string[]>("[...missing].map((control) => 'the keyboard misses ' + control.outerHTML)");
}
