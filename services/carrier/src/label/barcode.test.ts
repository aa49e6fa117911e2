import { create } from "@bufbuild/protobuf";
import { AddressSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { drawLinear, drawMatrix, matrixText } from "./barcode.js";
import type { Page } from "./letters/carry-font.js";
import { newPage } from "./page.js";
import { plainPdf } from "./testing/plain-pdf.js";
import { readCodes } from "./testing/read-codes.js";

function codesOn(draw: (page: Page) => void) {
  const page = newPage();
  draw(page);
  return readCodes(plainPdf(page));
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

describe("matrixText", () => {
  test.each([
    ["51147", "DE", "TEST1|DE|51147"],
    ["sw1a  1aa", "GB", "TEST1|GB|SW1A 1AA"],
    ["１００-８１１１", "JP", "TEST1|JP|100-8111"],
    ["123456789012", "QQ", "TEST1|QQ|123456789012"],
    ["1234567890123", "QQ", "TEST1|QQ|"],
    ["1|2", "QQ", "TEST1|QQ|"],
    ["\u200b", "QQ", "TEST1|QQ|"],
  ])("postal code %j in %s: %j", (postalCode, country, text) => {
    expect(matrixText("TEST1", create(AddressSchema, { postalCode, country }))).toBe(text);
  });
});
