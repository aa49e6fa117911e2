import { type Face, textWidth } from "../ruler.js";
import { decode, operatorsIn } from "./read-pdf.js";

/** A part of the label that the picture names: the name, in lines, beside the point that it is about. */
interface NamedPart {
  side: "left" | "right";
  lines: readonly string[];
  /** In points from the label's top left. */
  at: readonly [x: number, y: number];
  /** The height of the name, if it is not that of the point. */
  textAt?: number;
}

const WIDTH = 720;
const MARGIN = 10;
const LABEL = { width: 288, height: 432, left: (WIDTH - 288) / 2, top: MARGIN };
const GAP = 14;
const LINE_HEIGHT = 17;

const STYLE = `
    text { font: 14px system-ui, sans-serif; fill: #1b1f27; }
    .end { text-anchor: end; }
    .line { fill: none; stroke: #1a55c4; stroke-width: 1.5; }
    .point { fill: #1a55c4; }
    .paper { fill: #ffffff; stroke: #9aa2b1; }
    .print text { font-family: Helvetica, Arial, sans-serif; }
    .b { font-weight: 700; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e8eaee; }
      .line { stroke: #8ab4ff; }
      .point { fill: #8ab4ff; }
    }
  `;

/** Draws a label with names beside its parts, as SVG for both colour schemes, from the operators of its PDF. */
export function labelPicture(pdf: Uint8Array, title: string, parts: readonly NamedPart[]): string {
  const height = LABEL.height + 2 * MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
  <title>${title}</title>
  <style>${STYLE}</style>
  <g class="print" transform="translate(${LABEL.left} ${LABEL.top})">
    <rect class="paper" width="${LABEL.width}" height="${LABEL.height}" rx="4" />
    ${drawn(operatorsIn(pdf)).join("\n    ")}
  </g>
  ${parts.map(nameOf).join("\n  ")}
</svg>
`;
}

function nameOf({ side, lines, at: [x, y], textAt = y }: NamedPart): string {
  const isLeft = side === "left";
  const edge = isLeft ? LABEL.left - GAP : LABEL.left + LABEL.width + GAP;
  const [pointX, pointY] = [LABEL.left + x, LABEL.top + y];
  const textY = LABEL.top + textAt;
  const texts = lines.map((line, index) => {
    const top = textY + 5 + (index - (lines.length - 1) / 2) * LINE_HEIGHT;
    return `<text${isLeft ? ' class="end"' : ""} x="${isLeft ? edge - 6 : edge + 6}" y="${top}">${line}</text>`;
  });
  return `<path class="line" d="M${edge} ${textY}L${pointX} ${pointY}" /><circle class="point" cx="${pointX}" cy="${pointY}" r="3" />${texts.join("")}`;
}

const TEXT = /^BT \/(\S+) (\S+) Tf 1 0 0 -1 (\S+) (\S+) Tm \((.*)\) Tj ET$/;

/** The elements that the operators draw (PDF 1.7, 8 and 9), of which a label in a standard font has few. */
function drawn(operators: string): string[] {
  const elements: string[] = [];
  const saved: string[] = [];
  let matrix = "";
  let path = "";
  let gray = 0;
  let width = 1;
  const paint = (attributes: string) => {
    elements.push(`<path${matrix && ` transform="matrix(${matrix})"`} ${attributes} d="${path}" />`);
    path = "";
  };
  // The first line turns the page upside down, so that y grows downwards, as in SVG.
  for (const line of operators.split("\n").slice(1)) {
    const [, face, size, x, baseline, literal] = TEXT.exec(line) ?? [];
    const words = line.split(" ");
    const operator = words.at(-1);
    if (literal !== undefined) {
      const text = decode(literal.replace(/\\(.)/g, "$1"));
      const length = short(String(textWidth(text, face as Face, Number(size))));
      const attributes = `${face === "Helvetica-Bold" ? ' class="b"' : ""}${matrix && ` transform="matrix(${matrix})"`}`;
      elements.push(
        `<text${attributes} x="${x}" y="${baseline}" textLength="${length}" lengthAdjust="spacingAndGlyphs" style="font-size:${size}px;fill:${toColour(gray)}">${text}</text>`,
      );
    }
    if (words[0] === "q") saved.push(matrix);
    if (operator === "cm") matrix = words.slice(-7, -1).map(short).join(" ");
    if (operator === "g") gray = Number(words[0]);
    if (operator === "scn") gray = 0;
    if (operator === "w") width = Number(words[0]);
    if (operator === "m" || operator === "l") path += `${operator === "m" ? "M" : "L"}${words[0]} ${words[1]}`;
    if (operator === "re") path += `M${words[0]} ${words[1]}h${words[2]}v${words[3]}h-${words[2]}z`;
    // A clipping path is not painted: this label's texts are inside theirs.
    if (operator === "n") path = "";
    if (operator === "S") paint(`fill="none" stroke="#000000" stroke-width="${width}"`);
    if (words[0] === "f") paint(`fill="${toColour(gray)}"`);
    if (operator === "Q") matrix = saved.pop() ?? "";
  }
  return elements;
}

const short = (number: string) => String(Number(Number(number).toFixed(3)));
const toColour = (gray: number) =>
  `#${Math.round(gray * 255)
    .toString(16)
    .padStart(2, "0")
    .repeat(3)}`;
