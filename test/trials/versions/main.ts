import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { examples } from "@shipping/local/option-values";
import { Argument, Command } from "commander";
import { type Combination, combinations } from "./combinations.js";
import { getPrograms } from "./get-programs.js";

// `npm run trial -- versions [oldest] [middle] [newest]`: runs on each the tests beside the code, which run every statement, and the demo over
// separate processes. `--short` runs those tests that depend most on the versions: `npm run test:tools` does so on the oldest.
const root = fileURLToPath(new URL("../../..", import.meta.url));
// Drawing, rendering and parsing, which use neither PostgreSQL nor NATS, and little of Node.
const SAME_EVERYWHERE = "/carrier/src/label/|/portal/src/(page|mail)/|/node_modules/";
/** The code that uses the bus and PostgreSQL directly, and most of the statements. */
const SHORT = [
  "kit/src/(postgres|ledger|events)/",
  "services/(records|tracking|webhooks)/src/",
  "gateway/src/(access|accounts|database|idempotency)/",
  "services/portal/src/(audit|database|feed|members|session)/",
  "test/tree/migrations",
  ...["--testPathIgnorePatterns", "schedules", "/node_modules/"],
];
const LIMIT_MS = 40 * 60_000;

// Ctrl-C ends the tests, and then the servers that were started for them here.
let interrupted = false;
process.on("SIGINT", () => {
  interrupted = true;
});

const command = new Command("npm run trial -- versions")
  .description(
    "Run the tests and the main steps in separate processes with other versions of Node, PostgreSQL and NATS.",
  )
  .addArgument(new Argument("[combinations...]", "all by default").choices(Object.keys(combinations)))
  .option("--short", "run only the tests that depend most on the versions")
  .addHelpText("after", examples("npm run trial -- versions oldest", "npm run trial -- versions oldest --short"))
  .parse();
const { short } = command.opts<{ short?: true }>();
const names = command.args;

/** Runs everything on one combination, and returns whether it passed. */
async function runOn(combination: Combination): Promise<boolean> {
  const { postgres, nats, node } = await getPrograms(combination);
  const env = {
    ...process.env,
    PATH: [node, nats, process.env.PATH].join(delimiter),
    TEST_DATABASE_URL: undefined,
    TEST_NATS_URL: undefined,
    TEST_POSTGRES_PROGRAMS: postgres,
    TEST_VERSIONS: JSON.stringify(combination),
  };
  const jest = async (...args: string[]) => {
    const options = { cwd: root, env, stdio: "inherit", timeout: LIMIT_MS } as const;
    const program = join(root, "node_modules/jest/bin/jest.js");
    const [status] = await once(spawn(join(node, "node"), [program, ...args], options), "exit");
    return status === 0;
  };
  const all = ["kit/src", "gateway/src", "services/.*/src", "--testPathIgnorePatterns", SAME_EVERYWHERE];
  const passed = await jest(...(short ? SHORT : all));
  return !interrupted && (await jest("test/trials/versions", "--testMatch", "**/versions/*.check.ts")) && passed;
}

for (const [name, combination] of Object.entries(combinations)) {
  if (interrupted || (names.length > 0 && !names.includes(name))) continue;
  const { postgresql, natsServer, node } = combination;
  console.error(`On the ${name}: PostgreSQL ${postgresql.split("-")[0]}, nats-server ${natsServer}, Node ${node}`);
  if (!(await runOn(combination))) process.exitCode = 1;
}
