import { execFile } from "node:child_process";
import { access, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { toCell } from "@shipping/portal/exports/csv-cell";

const run = promisify(execFile);

const SOFFICE = process.env.SOFFICE ?? "/usr/bin/soffice";

let folder: string;
beforeAll(async () => {
  await access(SOFFICE).catch(() => {
    throw new Error(
      `There is no ${SOFFICE}. Run apt-get install libreoffice-calc, or name LibreOffice's soffice in SOFFICE.`,
    );
  });
  folder = await mkdtemp(join(tmpdir(), "spreadsheets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Formulas behind every prefix that a cell may have before them, and formulas that begin a cell within a cell. */
const FORMULAS = ["", "x;", "x\t", "x,", "x\n", "x\r", "x; y\t"].flatMap((before) =>
  ["", " ", "\t", "\u00a0", "\u3000", "\ufeff", "\0", "\0 ", '"', '""'].flatMap((lead) =>
    ["=1+1", "+1+1", "-1+1", "@SUM(1)", "＝1+1", '=1+1;"'].map((formula) => before + lead + formula),
  ),
);

const TELEPHONES = [
  "+49 30 1234567",
  "+49 (151) 987-654321",
  "+49 30 12-34",
  "+49 (0)30/123456",
  "+1 (555) 123-4567",
  "+1.555.123.4567",
  "(030) 1234-56",
];

/** Numbers that LibreOffice or Excel would change. */
const COMPUTED = ["+49 30/1234", "+ 49 30 / 1234", "+49-30-1234", "+49/30"];

interface Cell {
  text: string;
  isFormula: boolean;
  /** Absent for texts. */
  value?: number;
}

/** The rows that LibreOffice reads of a file: split at these characters, with or without spaces at the ends of cells, in English or German. */
async function open(file: string, { separators, trims, language }: (typeof READINGS)[number]): Promise<Cell[][]> {
  const codes = [...separators].map((character) => character.charCodeAt(0)).join("/");
  // UTF-8 from the first line; numbers are recognised; https://wiki.documentfoundation.org/Documentation/DevGuide/Spreadsheet_Documents
  const filter = `CSV:${codes},34,76,1,,${language},false,true,false,false,${trims}`;
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await run(
    SOFFICE,
    [profile, "--headless", `--infilter=${filter}`, "--convert-to", "fods", "--outdir", folder, file],
    {
      timeout: 120_000,
    },
  );
  const sheet = await readFile(file.replace(/csv$/, "fods"), "utf8");
  const rows = sheet.match(/<table:table-row[\s\S]*?<\/table:table-row>/g) ?? [];
  return rows.map((row) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g)].map(
      ([, attributes = "", inner = ""]) => {
        const [, value] = /office:value="([^"]*)"/.exec(attributes) ?? [];
        return {
          text: inner
            .replace(/<[^>]+>/g, "")
            .replaceAll("&apos;", "'")
            .trim(),
          isFormula: attributes.includes("table:formula="),
          ...(value !== undefined && { value: Number(value) }),
        };
      },
    ),
  );
}

const LANGUAGES = { English: 1033, German: 1031 };
const READINGS = [",", ";", "\t", ",;\t"].flatMap((separators) =>
  Object.values(LANGUAGES).flatMap((language) => [false, true].map((trims) => ({ separators, trims, language }))),
);

/** Opens a file of these lines. */
async function read(lines: readonly string[], reading: (typeof READINGS)[number]): Promise<Cell[][]> {
  const file = join(folder, "export.csv");
  await writeFile(file, `\ufeff${lines.join("\r\n")}\r\n`);
  return open(file, reading);
}

test("LibreOffice computes from cells as they were before", async () => {
  const [formula, fraction, behind] = await read(["=1+1,end", "+49 30/1234,end", "x;=1+1,end"], READINGS.at(-1)!);
  expect([formula?.[0]?.isFormula, fraction?.[0]?.value, behind?.[1]?.isFormula]).toEqual([
    true,
    expect.closeTo(49.024),
    true,
  ]);
});

test.each(READINGS)("split as %j, no cell of a file is a formula", async (reading) => {
  const lines = FORMULAS.map((text, n) => `row ${n},${toCell(text)},${toCell(text)},end`);
  const rows = await read(lines, reading);
  expect(rows.length).toBeGreaterThanOrEqual(FORMULAS.length);
  expect(rows.flat().filter(({ isFormula }) => isFormula)).toEqual([]);
});

test.each(READINGS.filter(({ separators }) => separators.startsWith(",")))(
  "split as %j, a telephone number is the text that it was, without an apostrophe where LibreOffice computes nothing",
  async (reading) => {
    const rows = await read(
      [...TELEPHONES, ...COMPUTED].map((number) => `${toCell(number)},end`),
      reading,
    );
    const texts = [...TELEPHONES, ...COMPUTED.map((number) => `'${number}`)];
    expect(rows.map(([cell]) => cell).slice(0, texts.length)).toEqual(
      texts.map((text) => ({ text, isFormula: false })),
    );
  },
);
