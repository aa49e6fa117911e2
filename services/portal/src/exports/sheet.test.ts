import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { strFromU8, unzipSync } from "fflate";
import { createSheet } from "./sheet.js";

const WIDTHS = { textWidth: 24, timeWidth: 18 };

/** The cells of a sheet as a spreadsheet reads them: their types, their formats, and their texts. */
function read(file: Buffer) {
  const xml = strFromU8(unzipSync(file)["xl/worksheets/sheet1.xml"]!);
  const rows = xml.match(/<row>.*?<\/row>/gs) ?? [];
  return rows.map((row) =>
    [...row.matchAll(/<c(?: s="(\d)")?(?: t="(\w+)")?(?:\/>|>(.*?)<\/c>)/gs)].map(([, style, type, inner = ""]) => ({
      style,
      type,
      text: inner
        .replace(/<[^>]+>/g, "")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&")
        .replace(/_x([0-9A-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
    })),
  );
}

function fileOf(headings: readonly string[], ...chunks: (string | undefined)[][][]): Buffer {
  const sheet = createSheet(WIDTHS);
  return Buffer.concat([sheet.begin(headings), ...chunks.map((rows) => sheet.write(rows)), sheet.end()]);
}

test("texts stay as they are, none is a number or a formula, and times are numbers with the format of a time", () => {
  const rows = [["00501", "+49 30 123", "=1+1", "2026-11-28T12:00:00.000Z"], ["-5"], [undefined, "1e5", "_x0041_"]];
  const [heading, ...read0] = read(fileOf(["a", "b", "c", "created_at"], rows.slice(0, 1), rows.slice(1)));
  expect(heading).toEqual(["a", "b", "c", "created_at"].map((text) => ({ style: "3", type: "inlineStr", text })));
  const text = (words: string) => ({ style: "1", type: "inlineStr", text: words });
  const empty = { style: undefined, type: undefined, text: "" };
  // 2026-11-28 is day 46,354 of spreadsheets.
  expect(read0).toEqual([
    [text("00501"), text("+49 30 123"), text("=1+1"), { style: "2", type: undefined, text: "46354.5" }],
    [text("-5")],
    [empty, text("1e5"), text("_x0041_")],
  ]);
});

test("every text is read as it was, and the XML has no character that it must not have", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", minLength: 1 }), { minLength: 1, maxLength: 5 }), (texts) => {
      const file = fileOf(texts.map(String), [texts]);
      const xml = strFromU8(unzipSync(file)["xl/worksheets/sheet1.xml"]!);
      expect(xml).not.toMatch(/[\0-\x08\x0b-\x1f\ufffe\uffff]|<f>/);
      expect(read(file)[1]!.map(({ text }) => text)).toEqual(
        texts.map((text) =>
          Buffer.from(text)
            .toString()
            .replace(/[\ufffe\uffff]/g, "\ufffd"),
        ),
      );
    }),
    { numRuns: runs(200) },
  );
});

test("a sheet keeps no rows: what it holds does not grow with them", () => {
  const sheet = createSheet(WIDTHS);
  sheet.begin(["a", "b"]);
  // Random text, so that nothing is saved by compression.
  const row = () => [Math.random().toString(36).repeat(20), Math.random().toString(36)];
  let [given, made] = [0, 0];
  for (let chunk = 0; chunk < 20; chunk++) {
    const rows = Array.from({ length: 100 }, row);
    given += rows.flat().join("").length;
    made += sheet.write(rows).length;
  }
  const kept = sheet.end().length;
  expect(kept).toBeLessThan(100_000);
  expect(made).toBeGreaterThan(given / 50);
});
