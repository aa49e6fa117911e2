import bwipjs from "bwip-js";
import { dataMatrix, MATRIX_SIDE } from "./data-matrix.js";

/** Returns the symbol that bwip-js makes from a text's codewords: on its own, it would choose other codewords for some texts. */
function asOthers(text: string): string {
  const codewords = text.replace(/\d\d|./gs, (part) => {
    const codeword = part.length === 2 ? 130 + Number(part) : part.charCodeAt(0) + 1;
    return `^${String(codeword).padStart(3, "0")}`;
  });
  const size = `${MATRIX_SIDE}x${MATRIX_SIDE}`;
  const [symbol] = bwipjs.raw({ bcid: "datamatrix", text: codewords, raw: true, version: size } as never);
  return symbol && "pixs" in symbol ? symbol.pixs.join("") : "";
}

test.each([
  ...[
    "TEST00000000000000000000|DE|20457",
    "TEST99999999999999999999|GB|EC1A 9HF",
    "TEST01938475620192837465|JP|100-8111",
  ],
  ...["TEST12345678901234567890|QQ|123456789012", "TEST12345678901234567890|AE|", "1", "A", "12", "a|b"],
])("%s is encoded as others encode it", (text) => {
  expect(dataMatrix(text).join("")).toBe(asOthers(text));
});

test("thirty codewords fit, one more does not", () => {
  expect(dataMatrix("AbC|".repeat(7).concat("xy"))).toHaveLength(MATRIX_SIDE ** 2);
  expect(() => dataMatrix("AbC|".repeat(7).concat("xyz"))).toThrow("cannot hold");
});
