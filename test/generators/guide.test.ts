import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fencesOf } from "../docs/fences.js";
import type { Generator } from "./corridor.js";
import { generators } from "./generators.js";

const ROOT = join(import.meta.dirname, "../..");
const guide = readFileSync(join(ROOT, "docs/other-languages.md"), "utf8");

function row({ name, language, document, generate, client }: Generator): string[] {
  const compile = "build" in client ? code(client.build) : `Not compiled or run: ${client.notPlayed}`;
  return [name, language, code(document), code(generate), compile];
}

function code(command: string): string {
  return `\`${command.replaceAll("|", "\\|")}\``;
}

/** The cells of each row of its table. */
const rows = guide
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );

describe("the guide for other languages", () => {
  test("has the generators that are tried, with their commands", () => {
    expect(rows.filter(([, , document]) => document !== "")).toEqual(generators.map(row));
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
