import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { copyTree } from "./copy-tree.js";
import type { Fault } from "./fault.js";
import { rooms } from "./rooms.js";

/** The API suite: the checks of `conformance`, run in process. */
const CONFORMANCE = "test/conformance/in-process.test.ts";
const LIMIT_MS = 10 * 60_000;

const command = new Command("npm run trial -- faults")
  .description("Plant known mistakes in a copy of the tree, one at a time, and check that the named tests fail.")
  .addArgument(new Argument("[rooms...]", "all by default").choices(Object.keys(rooms)))
  .option("--only <text>", "only faults whose file or promise contains this text")
  .addHelpText("after", examples("npm run trial -- faults input", "npm run trial -- faults --only bulkhead"))
  .parse();
const { only = "" } = command.opts<{ only?: string }>();
const names = command.args.length > 0 ? command.args : Object.keys(rooms);
const faults = names
  .flatMap((name) => rooms[name] ?? [])
  .filter(({ file, breaks }) => `${file} ${breaks}`.includes(only));
if (faults.length === 0) command.error("error: no fault is left to plant.");

const tree = await copyTree(fileURLToPath(new URL("../../..", import.meta.url)));
process.once("SIGINT", () => {
  process.exitCode = 130;
  void tree.remove().then(() => process.exit());
});
try {
  // Without a fault, the tests have to pass.
  const tests = [...new Set(faults.flatMap(testsOf))];
  const broken = await failingTests(tests);
  if (broken.length > 0) throw new Error(`Without a fault, these fail: ${broken.join(", ")}`);
  let missed = 0;
  for (const fault of faults) {
    const repair = await tree.replace(fault.file, fault.original, fault.replacement);
    const failed = await failingTests(testsOf(fault)).finally(repair);
    const unnoticed = testsOf(fault).filter((test) => !failed.includes(test));
    if (unnoticed.length > 0) missed += 1;
    const verdict = unnoticed.length > 0 ? `NOT NOTICED by ${unnoticed.join(", ")}` : `noticed by ${failed.join(", ")}`;
    console.log(`${fault.file}: ${fault.breaks}\n  ${verdict}`);
  }
  console.log(`${faults.length - missed} of ${faults.length} faults are noticed.`);
  process.exitCode = missed > 0 ? 1 : 0;
} finally {
  await tree.remove();
}

function testsOf({ noticedBy, byConformance }: Fault): string[] {
  return byConformance ? [noticedBy, CONFORMANCE] : [noticedBy];
}

/** Runs these test files in the copy, and returns those that failed. */
async function failingTests(tests: string[]): Promise<string[]> {
  const results = join(tree.folder, "results.json");
  const args = ["--json", "--forceExit", "--outputFile", results, "--maxWorkers=2", "--runTestsByPath", ...tests];
  const jest = spawn(process.execPath, ["node_modules/jest/bin/jest.js", ...args], {
    cwd: tree.folder,
    env: { ...process.env, TEST_REPORTS: undefined },
    timeout: LIMIT_MS,
    stdio: "ignore",
  });
  const [, signal] = await once(jest, "close");
  if (signal) throw new Error(`${tests.join(", ")} did not end within ten minutes.`);
  // A fault that ends Jest itself is noticed by each of its tests.
  const written = await readFile(results, "utf8").catch(() => undefined);
  if (written === undefined) return tests;
  await rm(results);
  const { testResults } = JSON.parse(written) as { testResults: { name: string; status: string }[] };
  return tests.filter((test) => testResults.some(({ name, status }) => name.endsWith(test) && status === "failed"));
}
