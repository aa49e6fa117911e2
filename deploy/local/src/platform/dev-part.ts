import "@shipping/kit/process/require-node";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "@shipping/kit/postgres/migrate";
import type { Env } from "@shipping/kit/process/config";
import { createLog } from "@shipping/kit/process/log";
import { type Running, runProcess } from "@shipping/kit/process/run-process";
import { startEmbeddedPostgres } from "@shipping/local/servers/embedded-postgres";
import { Argument, Command } from "commander";
import { environment } from "../config.js";
import { secretsKeys, takeDataFolder } from "../data-folder.js";
import { createDatabases } from "../databases/prepare-databases.js";
import { examples } from "../option-values.js";
import { migrationFolders, type Part, parts } from "../parts.js";
import { type BusPasswords, busAuthorization, busIdentity, newBusPasswords } from "../servers/bus-users.js";
import { findNatsServer } from "../servers/find-nats-server.js";
import { startNatsServer } from "../servers/nats-server.js";

/** The port of each part; the part that runs alone calls the others there. */
const PORTS: Record<Part, number> = { gateway: 8080, records: 7001, carrier: 7002, tracking: 7003, webhooks: 7004 };

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const say = (line: string) => process.stdout.write(`${line}\n`);

/** `npm run dev:part -- <part>`: that part alone, on a database of its own, restarted whenever its source changes. */
async function develop(part: Part): Promise<Running> {
  const env = environment();
  const folder = await takeDataFolder(join(env.DATA_DIR || join(root, ".data"), `dev-${part}`));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder.path, "postgres") });
  const password = await folder.keep("database-password", () => randomBytes(18).toString("base64url"));
  const urls = await createDatabases({ url: postgres.url("postgres"), passwords: { [part]: password } });
  const url = urls[part] ?? "";
  await migrate({ url, directory: migrationFolders[part] });
  const passwords = newBusPasswords();
  const nats =
    part === "gateway" || part === "tracking" || env.NATS_URL
      ? undefined
      : await startNats(folder.path, env, passwords);
  const neighbours = parts.map((name) => [`${name.toUpperCase()}_URL`, `http://127.0.0.1:${PORTS[name]}`]);
  const settings = {
    ...Object.fromEntries(neighbours),
    PORT: String(PORTS[part]),
    SECRETS_KEYS: await secretsKeys(folder),
    ...(nats ? { NATS_URL: nats.url, ...busIdentity(part, passwords) } : {}),
    ...env,
    DATABASE_URL: url,
  };
  say(`${part} is listening on 127.0.0.1:${PORTS[part]} and restarts when its source changes. Database: ${url}`);
  const watching = watch(part, settings);
  return {
    async stop() {
      await watching.stop();
      await nats?.stop();
      await postgres.stop();
      await folder.release();
    },
  };
}

async function startNats(folder: string, env: Env, passwords: BusPasswords) {
  const program = await findNatsServer({ env, say });
  return startNatsServer({ program, dataDir: join(folder, "nats"), authorization: busAuthorization(passwords) });
}

function watch(part: Part, env: Env): Running {
  const main = join(root, part === "gateway" ? part : join("services", part), "src", "main.ts");
  const tsx = join(root, "node_modules", ".bin", "tsx");
  const child = spawn(tsx, ["watch", "--conditions=source", main], { stdio: ["ignore", "inherit", "inherit"], env });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

const [wanted] = new Command("npm run dev:part --")
  .description("Run one part by itself, with its own database.")
  .addArgument(new Argument("<part>", "part to run").choices(parts))
  .addHelpText("after", examples("npm run dev:part -- carrier"))
  .parse().processedArgs as [Part];
const log = createLog({ part: "dev", level: "warn", destination: process.stderr });
await runProcess({ log, start: () => develop(wanted) });
