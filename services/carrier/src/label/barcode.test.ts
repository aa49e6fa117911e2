import { drawLinear, drawMatrix } from "./barcode.js";
import type { PdfPage } from "./letters/carry-font.js";
import { closePage, openPage } from "./page.js";
import { readCodes } from "./testing/read-codes.js";

async function codesOn(draw: (page: PdfPage) => void) {
  const page = openPage({ size: [288, 432], title: "codes", createdAt: new Date(0) });
  draw(page);
  return readCodes(await closePage(page));
}

const LINEAR = { center: 144, top: 100, height: 72, room: 268 };

describe("drawLinear", () => {
  test.each(["TEST01234567890123456789", "A", "1Z999AA10123456784"])("%j is read back", async (text) => {
    const codes = await codesOn((page) => drawLinear(page, text, LINEAR));
    expect(codes).toEqual([expect.objectContaining({ format: "Code128", text })]);
  });

  test("a text that is too long for the room becomes narrower, and is still read", async () => {
    const text = "TEST0123456789012345678901234567";
    const [code] = await codesOn((page) => drawLinear(page, text, LINEAR));
    expect(code?.text).toBe(text);
    expect(code!.right - code!.left).toBeLessThan(268);
  });
});

describe("drawMatrix", () => {
  test.each([
    "TEST01234567890123456789|DE|51147",
    "TEST01234567890123456789|QQ|ABCDEF-HIJKL",
    "TEST01234567890123456789|AE|",
  ])("%j is read back, in modules of half a millimetre", async (text) => {
    const [code, ...others] = await codesOn((page) => drawMatrix(page, text, { x: 144, y: 200 }));
    expect(others).toEqual([]);
    expect(code).toEqual(expect.objectContaining({ format: "DataMatrix", text }));
    const millimetres = ((code!.right - code!.left) * 25.4) / 72;
    expect(Math.abs(millimetres - 22 * 0.5)).toBeLessThan(0.3);
  });
});
