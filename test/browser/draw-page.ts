import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

interface Paint {
  fill?: string;
  stroke?: string;
}
interface Box extends Paint {
  kind: "box";
  x: number;
  y: number;
  width: number;
  height: number;
  radius: number;
}
interface Text extends Paint {
  kind: "text";
  text: string;
  x: number;
  y: number;
  width: number;
  size: number;
  isBold: boolean;
  isCode: boolean;
}
interface Drawing {
  shapes: readonly (Box | Text)[];
  width: number;
  height: number;
}

const SCHEMES = ["light", "dark"] as const;
const MARGIN = 16;
const shapesIn = readFileSync(join(import.meta.dirname, "page-shapes.js"), "utf8")
  .trim()
  .replace(/;$/, "");

/** Replaces texts that differ from run to run by those that a reader of the picture may see. */
const settle = `for (const time of document.querySelectorAll("time")) time.textContent = "Jan 15, 2026";
  for (const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walker.nextNode(); ) {
    const { currentNode: node } = walker;
    node.data = node.data
      .replace(/\\b(ord|shp|lbl|whk|evt|req|key|acc)_[a-z2-7]{26}/g, "$1_mfrggzdfmztwq2lknnwg23tpoa")
      .replace(/TEST\\d{20}/g, "TEST01938475620192837465")
      .replace(/http:\\/\\/localhost:\\d+\\S*/g, "https://shop.example.com/webhooks")
      .replace(/localhost:\\d+/g, "shop.example.com")
      .replace(/\\d+ ms/g, "24 ms");
  }`;

/** Draws an element of a page as SVG, in both colour schemes, with the text as text. */
export async function drawPage(page: Page, selector: string, title: string, maxHeight: number): Promise<string> {
  await page.evaluate(settle);
  const drawings: Drawing[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    drawings.push(await page.evaluate<Drawing>(`(${shapesIn})(${JSON.stringify(selector)})`));
  }
  const [light, dark] = drawings as [Drawing, Drawing];
  const height = Math.min(light.height, maxHeight);
  const palette = new Map<string, string>();
  const elements = light.shapes
    .map((shape, index) => ({ shape, other: dark.shapes[index] ?? shape }))
    .filter(({ shape }) => shape.y < height)
    .map(({ shape, other }) =>
      toElement(shape, [toClass(palette, "fill", shape, other), toClass(palette, "stroke", shape, other)]),
    );
  const paper = await paperOf(page);
  const rules = [...palette].map(([colours, name]) => ({ name, colours: JSON.parse(colours) as string[] }));
  const ruleOf = (scheme: 1 | 2) =>
    rules.map(({ name, colours }) => `.${name}{${colours[0]}:${colours[scheme]}}`).join("");
  const [width, tall] = [light.width + 2 * MARGIN, height + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${tall}" width="${width}" height="${tall}">
<title>${title}</title>
<style>rect{fill:none}text{font-family:system-ui,sans-serif}.b{font-weight:600}.c{font-family:ui-monospace,monospace}.paper{fill:${paper[0]};stroke:#9aa2b1}${ruleOf(1)}@media (prefers-color-scheme:dark){.paper{fill:${paper[1]}}${ruleOf(2)}}</style>
<clipPath id="seen"><rect width="${light.width}" height="${height}"/></clipPath>
<rect class="paper" x=".5" y=".5" width="${width - 1}" height="${tall - 1}" rx="10"/>
<g transform="translate(${MARGIN} ${MARGIN})" clip-path="url(#seen)">
${elements.join("\n")}
</g>
</svg>
`;
}

async function paperOf(page: Page): Promise<string[]> {
  const papers: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    papers.push(toHex(await page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor")));
  }
  return papers;
}

/** The class of a colour in both schemes. */
function toClass(palette: Map<string, string>, property: "fill" | "stroke", shape: Paint, other: Paint): string {
  const [light, dark] = [shape[property], other[property]];
  if (!light) return "";
  const key = JSON.stringify([property, toHex(light), toHex(dark ?? light)]);
  if (!palette.has(key)) palette.set(key, `k${palette.size}`);
  return palette.get(key) ?? "";
}

const toHex = (colour: string) =>
  `#${(colour.match(/\d+/g) ?? [])
    .slice(0, 3)
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("")}`;

function toElement(shape: Box | Text, classes: readonly string[]): string {
  if (shape.kind === "box") {
    const { x, y, width, height, radius } = shape;
    const rounded = radius > 0 ? ` rx="${Math.round(radius)}"` : "";
    return `<rect class="${classes.filter(Boolean).join(" ")}" x="${x}" y="${y}" width="${width}" height="${height}"${rounded}/>`;
  }
  const { x, y, width, size, text, isBold, isCode } = shape;
  const all = [...classes, isBold && "b", isCode && "c"].filter(Boolean).join(" ");
  return `<text class="${all}" x="${x}" y="${y}" font-size="${size}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escapeText(text)}</text>`;
}

const escapeText = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
