import fc from "fast-check";
import { advance, isWinAnsi, type StandardFace, transliterated, winAnsi } from "./standard-font.js";

describe("transliterated", () => {
  test.each([
    ["Heidestraße 17, Köln – “Süd” €5 …", "Heidestraße 17, Köln – “Süd” €5 …"],
    ["Zażółć Gęślą-Jaźń", "Zazólc Gesla-Jazn"],
    ["Αθήνα", "Athina"],
    ["北京市", "BeiJingShi"],
    ["الرياض", "lryd"],
    ["Cafe\u0301", "Café"],
    ["👨‍👩‍👧 family", "family"],
    ["  a\t\tb\r\nc\u00a0d\u2028e  ", "a b c d e"],
    ["soft\u00adhyphen, left-to-right\u200e mark, NUL\u0000", "softhyphen, left-to-right mark, NUL"],
    ["\u200b", ""],
    ["\u3164\u2800\u00ad\ufe0f", ""],
    // The font has no sign for these, which are neither white space nor ignorable.
    ["\ue000", "?"],
    ["\u007f \u200b\u{2eba7}", "?"],
    ["\u20e3", "?"],
    ["\u{1b000}\u0000\u{2eba7}\u0000!", "e !"],
  ])("%j is printed as %j", (text, expected) => {
    expect(transliterated(text)).toBe(expected);
  });

  test("every result can be encoded, and is not changed again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const printed = transliterated(text);
        expect(printed).not.toMatch(/\p{Cc}|^\s|\s$/u);
        expect(transliterated(printed)).toBe(printed);
        expect(isWinAnsi(printed)).toBe(true);
        expect(winAnsi(printed)).toHaveLength(printed.length);
        expect(winAnsi(printed)).toMatch(/^[ -~\x80-\xff]*$/);
      }),
    );
  });
});

test("winAnsi writes CP1252", () => {
  expect(Buffer.from(winAnsi("A€…’“”–—Žžü"), "latin1").toString("hex")).toBe("4180859293949697" + "8e9efc");
});

// These widths are from Adobe's metrics of the standard fonts.
test.each([
  ["A", 667, 722],
  ["i", 222, 278],
  [" ", 278, 278],
  ["€", 556, 556],
  ["…", 1000, 1000],
  ["ß", 611, 611],
])("%s is %i thousandths of the size wide, %i in bold", (character, regular, bold) => {
  const faces: StandardFace[] = ["Helvetica", "Helvetica-Bold"];
  expect(faces.map((face) => Math.round(advance(face, character.charCodeAt(0)) * 1000))).toEqual([regular, bold]);
});
