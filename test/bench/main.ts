import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cases } from "./cases.js";
import { fallen } from "./compare-ratios.js";
import { startFloor } from "./floor/start-floor.js";
import { describeMachine } from "./machine.js";
import { type CaseResult, measureCase } from "./measure-case.js";
import { type BenchOptions, benchOptions } from "./options.js";
import { startPlatform } from "./platform.js";
import { type Report, ratiosOf, renderReport } from "./report.js";
import { seed } from "./seed.js";

const ACCOUNTS = 40;
const SEEDS = { shipments: 26, labels: 3 };
const BASELINE = fileURLToPath(new URL("baseline.json", import.meta.url));
const say = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run bench`: what the platform costs, beside the least that its work can cost. */
async function bench(options: BenchOptions): Promise<Report> {
  const machine = describeMachine();
  const startedAt = new Date().toISOString();
  const { rounds, seconds, clients, rate, replicas } = options;
  const effort = { rounds, seconds, clients, rate };
  const floor = await startFloor({ accounts: ACCOUNTS });
  const platform = await startPlatform({ replicas, accounts: ACCOUNTS });
  try {
    say("Seeding …");
    const targets = {
      platform: { target: platform.target, seeds: await seed(platform.target, SEEDS) },
      floor: { target: floor.target, seeds: await seed(floor.target, SEEDS) },
    };
    const before = platform.target.memoryMb();
    const results: Record<string, CaseResult> = {};
    for (const one of cases.filter(({ name }) => options.measured.includes(name))) {
      say(`${one.name}: ${one.does} …`);
      results[one.name] = await measureCase(one, targets, effort);
    }
    const memoryMb = { before, after: platform.target.memoryMb() };
    return { machine, startedAt, effort: { ...effort, replicas }, cases: results, memoryMb };
  } finally {
    await platform.stop();
    await floor.stop();
  }
}

const options = benchOptions(process.argv.slice(2));
const report = await bench(options);
const file = options.json ?? join(".data", "bench", `${report.startedAt.replaceAll(":", "")}.json`);
await mkdir(dirname(file), { recursive: true });
await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
console.log(`${renderReport(report)}\n\nAll figures are in ${file}.`);

if (options.check) {
  const falls = fallen(JSON.parse(await readFile(BASELINE, "utf8")), ratiosOf(report));
  for (const line of falls) console.log(line);
  process.exitCode = falls.length === 0 ? 0 : 1;
}
if (options.baseline) await writeFile(BASELINE, `${JSON.stringify(ratiosOf(report), null, 2)}\n`);
