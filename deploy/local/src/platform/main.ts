import "@shipping/kit/process/require-node";
import { measureProcess } from "@shipping/kit/process/health";
import { createLog } from "@shipping/kit/process/log";
import { runProcess } from "@shipping/kit/process/run-process";
import { Command } from "commander";
import { examples } from "../option-values.js";
import { explainStart } from "./explain-start.js";
import { type Platform, startPlatform } from "./start-platform.js";

/** `npm start`: the platform in one process, until Ctrl-C. */
async function start(): Promise<Platform> {
  measureProcess("platform");
  const platform = await startPlatform({ printMail });
  const { baseUrl, metricsUrl, runsOn, demo } = platform;
  process.stdout.write(`
The shipping platform is ready at ${baseUrl}
  guides      ${new URL("/docs", baseUrl)}
  metrics     ${metricsUrl}
  runs on     ${runsOn}
  demo keys   ${platform.demoFile}
${linesOf(platform)}
First call:
  curl -H "Authorization: Bearer ${demo.sandbox_key}" ${baseUrl}/account

Ctrl-C stops it; everything is kept in ${platform.dataDir}.
`);
  return platform;
}

function linesOf({ demo: { sign_in_url, sign_in_email }, mailFolder }: Platform): string {
  const developers = `  developers  ${sign_in_url} (works once, for 15 minutes; ask for others as ${sign_in_email})\n`;
  return `${sign_in_url ? developers : ""}${mailFolder ? `  mails       shown here, and kept in ${mailFolder}\n` : ""}`;
}

function printMail(text: string): void {
  process.stdout.write(`\n--- a mail ---\n${text}--- end of the mail ---\n`);
}

new Command("npm start --")
  .description(
    "The whole platform in one process. Its settings are environment variables; docs/configuration.md lists them.",
  )
  .addHelpText("after", examples("npm start", "PORT=8081 DATA_DIR=.data-2 npm start"))
  .parse();
await runProcess({
  log: createLog({ part: "platform", level: "warn", destination: process.stderr }),
  start: () => explainStart(start),
});
