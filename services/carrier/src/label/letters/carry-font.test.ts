import { newPage, write } from "../page.js";
import type { Face } from "../ruler.js";
import { plainPdf } from "../testing/plain-pdf.js";
import { printPdf } from "../testing/read-codes.js";
import { carryFont } from "./carry-font.js";
import { fontFor } from "./letters.js";

function pdfOf(texts: readonly string[], face: Face = "Letters") {
  const page = newPage();
  for (const [index, text] of texts.entries()) write(page, text, { x: 20, baseline: 40 * (index + 1), face, size: 30 });
  return plainPdf(page);
}

const fontsIn = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString("latin1")
    .match(/\/BaseFont \/[A-Z]LABEL\+\w+/g) ?? [];

/** Counts the black dots of the print. */
async function inkOf(pdf: Uint8Array) {
  return (await printPdf(pdf)).data.reduce((sum, grey) => sum + (grey === 0 ? 1 : 0), 0);
}

describe("carryFont", () => {
  test("numbers glyphs in the order of their use, each once", () => {
    const font = fontFor("я")!;
    const page = newPage();
    const { glyphNumber } = carryFont(page, font);
    expect([glyphNumber(50), glyphNumber(7), glyphNumber(50)]).toEqual([1, 2, 1]);
    expect(carryFont(page, font).glyphNumber(7)).toBe(2);
    expect(carryFont(newPage(), font).glyphNumber(7)).toBe(1);
  });
});

describe("a page", () => {
  test("embeds each font that it needs once, and no others", async () => {
    expect(new Set(fontsIn(pdfOf(["東京 Ж", "Ж東"]))).size).toBe(2);
    expect(fontsIn(pdfOf(["Paris"], "Helvetica"))).toEqual([]);
  });

  test.each(["Ελένη", "Щерба", "רוטשילד", "محمد", "प्रिया", "สมชาย", "ნინო", "Անի", "東京", "서울"])(
    "prints %s",
    async (text) => {
      const ink = await inkOf(pdfOf([text]));
      expect(ink).toBeGreaterThan(300);
      expect(await inkOf(pdfOf([text], "Letters-Bold"))).toBeGreaterThan(ink * 1.1);
    },
  );

  test("two letters have more ink than one, and no letter is an empty box", async () => {
    const inks = await Promise.all(["一", "三", "龍"].map(async (text) => inkOf(pdfOf([text]))));
    expect(inks).toEqual([...inks].sort((a, b) => a - b));
    expect(new Set(inks).size).toBe(3);
  });

  test("is the same bytes for the same letters", async () => {
    const [first, second] = [pdfOf(["東京 Ж"]), pdfOf(["東京 Ж"])];
    expect(Buffer.from(first).equals(second)).toBe(true);
  });
});
