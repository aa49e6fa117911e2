import { actionOf, type Fence, fencesOf, isAsPrinted, programsOf } from "./fences.js";

const fence = (language: string, code: string, mark = "output"): Fence => ({ line: 1, language, mark, code });

describe("code blocks", () => {
  test("are found in lists, and end at a fence of their own length", () => {
    const page = ["1. x", "   ```sh fails", "   echo", "     a", "   ```", "````md shown", "```", "````", ""].join(
      "\n",
    );
    expect(fencesOf(page)).toEqual([
      { line: 2, language: "sh", mark: "fails", code: "echo\n  a\n" },
      { line: 6, language: "md", mark: "shown", code: "```\n" },
    ]);
  });

  test("in one language that go on from each other are one program", () => {
    const page = "```ts tab\n1\n```\n```sh\n2\n```\n```ts next tab\n3\n```\n```ts\n4\n```\n";
    const programs = programsOf(fencesOf(page), "ts");
    expect(programs.map((parts) => parts.map(({ code }) => code.trim()))).toEqual([["1", "3"], ["4"]]);
    expect(() => programsOf(fencesOf("```ts next\n```\n"), "ts")).toThrow("line 1 has none before it");
  });

  test("are executed, or say that they are not", () => {
    expect(actionOf(fence("sh", "", "fails"))).toBe("sh fails");
    expect(actionOf(fence("http", "", "shown"))).toBe("shown");
    for (const [language, mark] of [
      ["json", ""],
      ["js", ""],
      ["", ""],
      ["sh", "maybe"],
    ] as const)
      expect(() => actionOf(fence(language, "", mark))).toThrow("Nothing executes");
  });
});

describe("output", () => {
  test("is what the page says, … standing for anything", () => {
    expect(isAsPrinted("created TEST123\n", fence("text", "created TEST…\n"))).toBe(true);
    expect(isAsPrinted("created TEST123 x\n", fence("text", "created TEST…3\n"))).toBe(false);
    expect(isAsPrinted("a.c", fence("text", "abc"))).toBe(false);
  });

  test("in JSON may have other white space", () => {
    const said = fence("json", '{\n  "data": {\n    "id": "shp_…",\n    "status": "draft", …\n  }\n}');
    expect(isAsPrinted('{"data":{"id":"shp_1","status":"draft","x":1}}', said)).toBe(true);
    expect(isAsPrinted('{"data":{"id":"shp_1","status":"voided","x":1}}', said)).toBe(false);
  });
});
