import { readFileSync } from "node:fs";
import { join } from "node:path";
import { urlForm } from "@shipping/api/input/text";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { findFaults, productionFiles } from "./check-regexes.js";
import { findPythonRegexes, findRegexes } from "./find-regexes.js";

const root = join(import.meta.dirname, "..");
const inTypeScript = (text: string) => findRegexes("a.ts", text);
const inPython = (text: string) => findPythonRegexes("a.py", text);

describe("a pattern is found", () => {
  test("in TypeScript, as a literal and in a call, with the constants of its file", () => {
    const text =
      'const A = "[a-z]";\n// é\nconst B = `$' +
      "{A}+`;\nf(/x+/gi, new RegExp(`^$" +
      "{B}$" +
      '{c()}`, "u"), RegExp("y"));';
    expect(inTypeScript(text)).toEqual([
      { file: "a.ts", line: 4, pattern: "x+", flags: "gi" },
      { file: "a.ts", line: 4, pattern: "^[a-z]+{{c()}}", flags: "u" },
      { file: "a.ts", line: 4, pattern: "y", flags: "" },
    ]);
  });

  test("in Python, anchored as its function anchors it", () => {
    const text = 'x\nre.fullmatch(r"a+", b, re.IGNORECASE)\nre.match(r"c\\"", d) or re.search(r"e", f)\nre.escape(g)';
    expect(inPython(text)).toEqual([
      { file: "a.py", line: 2, pattern: "^(?:a+)$", flags: "i" },
      { file: "a.py", line: 3, pattern: '^(?:c\\")', flags: "" },
      { file: "a.py", line: 3, pattern: "e", flags: "" },
    ]);
  });

  test.each(["re.compile(PATTERN)", "re.search('a', b)", "from re import match", 're.compile(r"\\Aa\\Z")'])(
    "in Python or refused: %s",
    (text) => {
      expect(() => inPython(text)).toThrow(/a\.py/);
    },
  );

  test("wherever a file of production code has one", () => {
    const files = productionFiles(["gateway", "client", "services"].map((folder) => join(root, folder)));
    expect(files.length).toBeGreaterThan(250);
    // Biome formats the code so that a literal stands only after these characters, and ends before these. A division stands between spaces.
    const LITERAL =
      /(?<=[(,=:[!?&|]\s*|return |^\s+)\/(?![/*\s>])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[dgimsuvy]*(?=[.,;)\]\s])/gm;
    const missed = files.flatMap((file) => {
      const text = readFileSync(file, "utf8");
      const code = text.replace(/^\s*(?:\/\/|\/\*\*|\* ).*$/gm, "");
      const found = findRegexes(file, text).map(({ pattern, flags }) => `/${pattern}/${flags}`);
      return (code.match(LITERAL) ?? [])
        .filter((literal) => !found.includes(literal))
        .map((literal) => [file, literal]);
    });
    expect(missed).toEqual([]);
  });
});

describe("a pattern is refused", () => {
  const faultsOf = (text: string, listed = {}) =>
    findFaults(inTypeScript(text), [{ file: "a.ts", pattern: "", ...listed }].slice(0, Object.keys(listed).length));

  test.each(["f(/[\\w-]*$/)", "f(/(a+)+$/)", "f(/\\s+$/)", 'f(new RegExp("(a|a)*$"))'])(
    "that is super-linear: %s",
    async (text) => {
      expect(await faultsOf(text)).toEqual([expect.stringMatching(/^a\.ts:1: .* takes .* time, for example for /)]);
    },
  );

  test.each(['re.search(r"[\\w-]*$", a)', 're.compile(r"(a+)+$")'])(
    "that is super-linear in Python: %s",
    async (text) => {
      expect(await findFaults(inPython(text), [])).toEqual([expect.stringMatching(/^a\.py:1: .* takes .* time/)]);
    },
  );

  test("that looks far ahead without finding one of its matches", async () => {
    expect(await faultsOf('f(/"(?:[^"\\\\]|\\\\.)*"|[^]/g)')).toEqual([expect.stringMatching(/2nd degree/)]);
  });

  test("that cannot be decided, unless it is listed with what bounds its input", async () => {
    expect(await faultsOf("f(/a+(?=b)/)")).toEqual([expect.stringMatching(/cannot be decided \(unsupported\)/)]);
    expect(await faultsOf("f(/a+(?=b)/)", { pattern: "a+(?=b)", bound: "Short." })).toEqual([]);
  });

  test("that the program builds, unless a pattern that it builds is listed", async () => {
    expect(await faultsOf("f(new RegExp(a))")).toEqual([expect.stringMatching(/the program builds/)]);
    expect(await faultsOf("f(new RegExp(a))", { pattern: "{{a}}", built: "a+$" })).toEqual([
      expect.stringMatching(/2nd degree/),
    ]);
    expect(await faultsOf("f(new RegExp(a))", { pattern: "{{a}}", built: "a+" })).toEqual([]);
  });

  test("by an entry of the list that it no longer needs, or whose pattern has changed", async () => {
    for (const pattern of ["a+", "b+$"])
      expect(await faultsOf("f(/a+/)", { pattern, bound: "Short." })).toEqual([
        expect.stringMatching(/need not be listed/),
      ]);
  });
});

test("the patterns of the OpenAPI document, which clients compile, are linear", async () => {
  const patterns = new Set<string>();
  JSON.stringify(openApiDocument(), (name, value) => {
    if (name === "pattern" && typeof value === "string") patterns.add(value);
    return value;
  });
  expect(patterns.size).toBeGreaterThan(5);
  const file = "openapi.json";
  const regexes = [...patterns].map((pattern) => ({ file, line: 1, pattern, flags: "u" }));
  const bound = `A URL has at most ${urlForm.maxLength} characters, and each label of its host at most 63.`;
  const ofUrls = [urlForm.pattern, urlForm.not.pattern].map((pattern) => ({ file, pattern, bound }));
  expect(await findFaults(regexes, ofUrls)).toEqual([]);
});
