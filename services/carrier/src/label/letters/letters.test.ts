import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { fontFor, isForeign, ownLetters } from "./letters.js";
import { setLine } from "./set-line.js";

describe("ownLetters", () => {
  test.each([
    "Łódź",
    "Nguyễn Thị Ánh",
    "Ελένη Παπαδοπούλου",
    "ул. Тверская, д. 7",
    "Їжакевич",
    "תל אביב-יפו",
    "طريق الملك فهد 2347، حي العليا",
    "प्रिया शर्मा",
    "สมชาย ใจดี",
    "რუსთაველის",
    "Աբովյան",
    "丸の内1-9-2 グラントウキョウ",
    "朝阳区建国门外大街１号",
    "서울특별시 중구",
    "〒100-8111",
  ])("%s has them all", (text) => {
    expect(ownLetters(text)).toBe(text.normalize("NFC"));
    expect(Array.from(text.normalize("NFC")).filter((character) => !fontFor(character))).toEqual([]);
  });

  test.each([
    ["  a\t\tb\r\nc\u00a0d\u2028e  ", "a b c d e"],
    ["right-to-left\u202e override, NUL\u0000", "right-to-left override, NUL"],
    ["ᓄᓇᕗᑦ", "nonafot"],
    ["\u200b", ""],
    ["\u3164\u2800\u1160", ""],
    ["\ue000", "?"],
    ["می\u200cخواهم", "می\u200cخواهم"],
    ["दर्\u200dया", "दर्\u200dया"],
    ["\u200cب\u200c \u200dЖ\u200dЖ❤\ufe0f\u200d🔥", "ب ЖЖ"],
    ["佐藤 😀 花子🇯🇵", "佐藤 花子"],
    ["😀", ":grinning:"],
    ["Żółw™ © 1️⃣", "Żółw™ © 1"],
    ["ﾔﾏﾀﾞ ﾀﾛｳ", "ヤマダ タロウ"],
    // The fonts lack U+20BB7.
    ["𠮷田 太郎", "KichiTian TaiLang"],
    ["王ᓄᓇ", "Wangnona"],
    [`q${"\u0316".repeat(99)}!`, `q${"\u0316".repeat(4)}!`],
  ])("%j is printed as %j", (text, expected) => {
    expect(ownLetters(text)).toBe(expected);
  });

  test("every result can be set, and is not changed again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const own = ownLetters(text);
        expect(own).not.toMatch(/\p{Cc}|(?![\u200c\u200d])\p{Cf}|^\s|\s$|\p{M}{5}/u);
        expect(ownLetters(own)).toBe(own);
        expect(setLine(own).width).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("isForeign", () => {
  test.each(["Łódź", "Nguyễn", "São Paulo-SP 01310", "1-9-2 ①", "", "Nº 5 ª"])("%j is not", (text) => {
    expect(isForeign(text)).toBe(false);
  });

  test.each(["Київ", "Αθήνα", "ul. Тверская 7", "דירה 3", "東京"])("%j is", (text) => {
    expect(isForeign(text)).toBe(true);
  });
});
