import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { TEST_SETTINGS } from "@shipping/kit/testing/database";
import { examples } from "@shipping/local/option-values";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { Argument, Command } from "commander";
import { type Combination, combinations } from "./combinations.js";
import { getPrograms } from "./get-programs.js";

// `npm run trial -- versions [oldest] [middle] [newest]`: on each, the tests beside the code, which run every statement, and the demo
// over separate processes. `--reports FOLDER` keeps Jest's results there as JSON.
const root = fileURLToPath(new URL("../..", import.meta.url));
// Drawing, rendering and parsing, which ask neither PostgreSQL nor NATS, and Node for little.
const SAME_EVERYWHERE =
  "/carrier/src/label/|/gateway/src/(developers/page|guides|input|openapi|reference)/|/node_modules/";
const LIMIT_MS = 15 * 60_000;

// Ctrl-C ends the tests, and then what was started for them here.
let interrupted = false;
process.on("SIGINT", () => {
  interrupted = true;
});

const command = new Command("npm run trial -- versions")
  .description(
    "Run the tests and the main steps in separate processes with other versions of Node, PostgreSQL and NATS.",
  )
  .addArgument(new Argument("[combinations...]", "all unless named").choices(Object.keys(combinations)))
  .option("--reports <folder>", "where Jest's results are kept as JSON")
  .addHelpText("after", examples("npm run trial -- versions oldest"))
  .parse();
const { reports } = command.opts<{ reports?: string }>();
const names = command.args;

/** Runs all on one combination, and says whether it went well. */
async function runOn(name: string, combination: Combination): Promise<boolean> {
  const programs = await getPrograms(combination);
  const folder = await mkdtemp(join(tmpdir(), "shipping-versions-"));
  await chmod(folder, 0o755);
  const dataDir = join(folder, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, programs: programs.postgres, settings: TEST_SETTINGS });
  const env = {
    ...process.env,
    PATH: [programs.node, programs.nats, process.env.PATH].join(delimiter),
    TEST_DATABASE_URL: postgres.url("postgres"),
    TEST_VERSIONS: JSON.stringify(combination),
  };
  const jest = async (tests: string, ...args: string[]) => {
    const report = reports && ["--json", `--outputFile=${join(reports, `${name}-${tests}.json`)}`];
    const program = [join(root, "node_modules/jest/bin/jest.js"), ...args, ...(report || [])];
    const options = { cwd: root, env, stdio: "inherit", timeout: LIMIT_MS } as const;
    const [status] = await once(spawn(join(programs.node, "node"), program, options), "exit");
    return status === 0;
  };
  try {
    const rooms = ["kit/src", "gateway/src", "services/.*/src"];
    const beside = await jest("beside", ...rooms, "--testPathIgnorePatterns", SAME_EVERYWHERE);
    return !interrupted && (await jest("demo", "test/versions", "--testMatch", "**/versions/*.check.ts")) && beside;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

for (const [name, combination] of Object.entries(combinations)) {
  if (interrupted || (names.length > 0 && !names.includes(name))) continue;
  const { postgresql, natsServer, node } = combination;
  console.error(`On the ${name}: PostgreSQL ${postgresql.split("-")[0]}, nats-server ${natsServer}, Node ${node}`);
  if (!(await runOn(name, combination))) process.exitCode = 1;
}
