import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fencesOf } from "../../docs/fences.js";
import type { Generator } from "./corridor.js";
import { generators, OPENAPI_GENERATOR_COMMAND } from "./generators.js";

const ROOT = join(import.meta.dirname, "../../..");
const guide = readFileSync(join(ROOT, "docs/other-languages.md"), "utf8");

function row({ name, language, generate, client }: Generator): string[] {
  const compile = "build" in client ? code(client.build) : `Not compiled or run: ${client.notPlayed}`;
  const [, options] = generate.split(`${OPENAPI_GENERATOR_COMMAND} `);
  return options ? [language, code(options), compile] : [`${name} for ${language}`, code(generate), compile];
}

function code(command: string): string {
  return `\`${command.replaceAll("|", "\\|")}\``;
}

/** The cells of each row of the tables below a heading. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = guide.split(`\n${heading}\n`);
  const [tables = ""] = section.split(/\n#+ /);
  const rows = tables.split("\n").filter((line) => line.startsWith("|"));
  return rows
    .map((line) =>
      line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim()),
    )
    .slice(2);
}

const isOpenApiGenerator = ({ name }: Generator) => name.startsWith("openapi-generator ");

describe("the guide for other languages", () => {
  test("has the generators that are tried, with their commands", () => {
    const [{ name = "" } = {}] = generators.filter(isOpenApiGenerator);
    expect(rowsBelow(`### ${name}`)).toEqual(generators.filter(isOpenApiGenerator).map(row));
    expect(guide).toContain(`\`${OPENAPI_GENERATOR_COMMAND}\``);
    const others = generators.filter((generator) => !isOpenApiGenerator(generator));
    expect(rowsBelow("### Others")).toEqual(others.map(row));
  });

  test("says which of them read the older document", () => {
    const older = generators.filter(({ document }) => document === "openapi-3.0.json");
    const names = older.map(({ name }) => name.split(" ", 1).join());
    expect(guide.replaceAll("\n", " ")).toContain(`${names.join(" and ")} read \`openapi-3.0.json\``);
  });

  const programs = {
    php: "php/corridor.php",
    java: "java-okhttp/Corridor.java",
    ruby: "ruby/corridor.rb",
    go: "go/corridor.go",
  };
  test.each(Object.entries(programs))("shows in %s what the check runs", (language, program) => {
    const lines = (text: string) => text.split("\n").map((line) => line.trim());
    const shown = fencesOf(guide).filter((fence) => fence.language === language);
    const run = lines(readFileSync(join(import.meta.dirname, "programs", program), "utf8"));
    expect(shown).toHaveLength(1);
    expect(shown.flatMap((fence) => lines(fence.code)).filter((line) => !run.includes(line))).toEqual([]);
  });
});
