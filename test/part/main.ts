import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { readPromises } from "./part-promises.js";

// The npm script has built everything and checked the protos before this program starts.
const root = join(import.meta.dirname, "../..");
const parts = readPromises();

/** The rules of the source tree, which a change of any part can break. */
const RULES = "test/tree/";

/** A pattern of Jest for this file, or for the files below this folder. */
function patternOf(path: string): string {
  const escaped = join(root, path).replace(/[^\w/-]/g, "\\$&");
  return `^${escaped}${path.endsWith("/") ? "" : "$"}`;
}

function testPart(name: string): void {
  const { folder, promises } = parts.find((part) => part.name === name)!;
  const paths = [`${folder}/`, RULES, ...promises];
  const jest = join(root, "node_modules/jest/bin/jest.js");
  const { status } = spawnSync(process.execPath, [jest, ...paths.map(patternOf)], { cwd: root, stdio: "inherit" });
  process.exitCode = status ?? 1;
}

await new Command("npm run test:part --")
  .description(
    "Run the tests of one part: its own, the rules of the source tree, and the tests of the platform that its part.yaml lists.",
  )
  .addArgument(new Argument("<part>", "the part").choices(parts.map(({ name }) => name)))
  .addHelpText("after", examples("npm run test:part -- webhooks"))
  .action(testPart)
  .parseAsync();
