import "@shipping/kit/process/require-node";
import { measureProcess } from "@shipping/kit/process/health";
import { createLog } from "@shipping/kit/process/log";
import { runProcess } from "@shipping/kit/process/run-process";
import { Command } from "commander";
import { examples } from "../option-values.js";
import { explainStart } from "./explain-start.js";
import type { Platform } from "./start-platform.js";

/** Runs `npm start`: the platform in one process, until Ctrl-C. */
async function start(stopping: AbortSignal): Promise<Platform> {
  measureProcess("platform");
  // The platform is imported here, because the help does not need it.
  const { startPlatform } = await import("./start-platform.js");
  const platform = await startPlatform({ printMail, stopping });
  const { baseUrl, metricsUrl, runsOn, demo } = platform;
  process.stdout.write(`
The shipping platform is ready at ${baseUrl}
  guides      ${new URL("/docs", baseUrl)}
  metrics     ${metricsUrl}
  runs on     ${runsOn}
  demo keys   ${platform.demoFile}
${describePlatform(platform)}
First call:
  curl -w "\\n" -H "Authorization: Bearer ${demo.sandbox_key}" ${baseUrl}/account

Press Ctrl-C to stop. All data is in ${platform.dataDir}.
`);
  return platform;
}

function describePlatform({ demo: { sign_in_url, sign_in_email }, mailFolder }: Platform): string {
  const developers = `  developers  ${sign_in_url} (works once, within 15 minutes; for more, sign in as ${sign_in_email})\n`;
  return `${sign_in_url ? developers : ""}${mailFolder ? `  emails      printed here and saved in ${mailFolder}\n` : ""}`;
}

function printMail(text: string): void {
  process.stdout.write(`\n--- email ---\n${text}--- end of email ---\n`);
}

new Command("npm start --")
  .description(
    "Run the whole platform in one process. Configure it with the environment variables in docs/configuration.md.",
  )
  .addHelpText("after", examples("npm start", "PORT=8081 DATA_DIR=.data-2 npm start"))
  .parse();
await runProcess({
  log: createLog({ part: "platform", level: "warn", destination: process.stderr }),
  start: (stopping) => explainStart(() => start(stopping), stopping),
});
