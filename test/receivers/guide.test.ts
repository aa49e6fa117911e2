import { readFileSync } from "node:fs";
import { join } from "node:path";
import { triedWith } from "./frameworks.js";
import { examples } from "./guide.js";

const others = readFileSync(join(import.meta.dirname, "../../docs/other-languages.md"), "utf8");
const [, section = ""] = others.split("\n## Frameworks that were tried\n");
const rows = [...section.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].slice(2).map(([, name, tried]) => [name, tried]);

describe("the guide for frameworks", () => {
  test("has no example that is not tried", () => {
    const headings = [...examples.keys()].map((name) => name.replace(/ in \w+$/, ""));
    expect([...new Set(headings)]).toEqual(Object.keys(triedWith));
  });

  test("says with which versions, and what was not run", () => {
    expect(rows.filter(([name]) => name !== "ASP.NET Core")).toEqual(Object.entries(triedWith));
    expect(rows.at(-1)).toEqual(["ASP.NET Core", expect.stringMatching(/^neither compiled nor run/)]);
  });
});
