import { runs } from "@shipping/kit/testing/runs";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { toCell } from "./csv-cell.js";

/**
 * How spreadsheets split a file: at commas, or at commas, semicolons and tabs as LibreOffice proposes, with quotes; or at semicolons or tabs
 * alone, where a quote in the middle of a cell does not count as one.
 */
const READINGS = [
  { delimiter: ",", quote: '"' },
  { delimiter: [",", ";", "\t"], quote: '"' },
  { delimiter: ";", quote: null },
  { delimiter: "\t", quote: null },
];

/** All cells that spreadsheets read from a line, without the leading characters that they drop. */
function cellsRead(line: string): string[] {
  const rows = READINGS.flatMap<string[]>((reading) =>
    parse(line, { ...reading, relax_column_count: true, record_delimiter: ["\r\n", "\n", "\r"] }),
  );
  return rows.flat().map((cell) => cell.replace(/^[\s\p{C}"]+/u, ""));
}

/** The cells of a line with this text that a spreadsheet would compute. Telephone numbers have tests of their own. */
function formulasIn(text: string): string[] {
  const cells = cellsRead(`shp_1,${toCell(text)},draft\r\n`);
  return cells.filter((cell) => /^[=+\-@＝＋－＠]/.test(cell) && !/^[+\d ().\-/]+$/.test(cell));
}

test.each([
  ["=1+1", "'=1+1"],
  ["-2+3+cmd|' /C calc'!A0", "'-2+3+cmd|' /C calc'!A0"],
  ["\u3000＝1+1", "'\u3000＝1+1"],
  ["\0=1+1", "'\0=1+1"],
  ["\t=1+1", `"\t'=1+1"`],
  ["x;=1+1", `"x;'=1+1"`],
  ['x;"=1+1', `"x;'""=1+1"`],
  ["x\t=1+1;-1+1", `"x\t'=1+1;'-1+1"`],
  ['"=1+1"', `"'""=1+1"""`],
  ["+49-30-1234", "'+49-30-1234"],
  ["+49 / 30 - 12", "'+49 / 30 - 12"],
  ["+49 30/1234", "'+49 30/1234"],
  ["+49 30 1234 x", "'+49 30 1234 x"],
  ["+49 30; +49 31", `"'+49 30;' +49 31"`],
])("%j, from which a spreadsheet could compute, gets an apostrophe", (text, cell) => {
  expect(toCell(text)).toBe(cell);
  expect(formulasIn(text)).toEqual([]);
});

test.each([
  ...["", "Anna", "31-147", "1+1=2", "'=1+1", "00123", "1E5", "1-2", "+4930123456", "+49 (151) 987-654321", "-5", "-"],
  ...["+49 30 12-34", "+49 (0)30/123456", "+1.555.123.4567", " +49 30 1234", "(030) 1234"],
])("%j stays as it is", (text) => {
  expect(toCell(text)).toBe(text);
});

test.each([
  ["Berlin, Mitte", '"Berlin, Mitte"'],
  ['the "big" one', '"the ""big"" one"'],
  ["x, =1+1", '"x, =1+1"'],
])("%j is only put in quotes", (text, cell) => {
  expect(toCell(text)).toBe(cell);
});

test("no text is a formula under a comma, a semicolon, a tab, or all of them, and each is one cell of the file", () => {
  const hostile = fc.constantFrom(...`=+-@＝＋－＠;,\t\r\n"' \u00a0\u3000\ufeff\0x1|`);
  const text = fc.array(hostile, { maxLength: 12 }).map((characters) => characters.join(""));
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect([...formulasIn(one), ...formulasIn(other)]).toEqual([]);
      const [row] = parse(`${toCell(one)},${toCell(other)},last\r\n`, { record_delimiter: "\r\n" });
      expect([row?.length, row?.at(-1)]).toEqual([3, "last"]);
    }),
    { numRuns: runs(500) },
  );
});
