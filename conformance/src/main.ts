import { writeFileSync } from "node:fs";
import { CommanderError } from "commander";
import { type CommandLine, conformanceCommand, keyFromEnvironment } from "./config.js";
import { judge, type Report } from "./conformance.js";
import { NotJudged, UsageError } from "./judge.js";
import { exitStatus, masked, shown, toJson, toJunit, toTable } from "./report.js";

const USAGE = 2;
const NOT_JUDGED = 3;
// One Ctrl-C can arrive twice: from the terminal, and through npm.
const SAME_SIGNAL_MS = 500;
const say = (line: string) => process.stderr.write(`${shown(line)}\n`);

async function run({ noSkips, junit, json, ...options }: CommandLine): Promise<void> {
  const report: Report = await judge({ ...options, say, stop: interruption() });
  const status = exitStatus(report, noSkips);
  process.stdout.write(shown(toTable(report)));
  if (junit !== undefined) writeFileSync(junit, masked(toJunit(report)));
  if (json !== undefined) writeFileSync(json, masked(toJson(report, status)));
  process.exitCode = status;
}

/** Aborted by the first SIGINT or SIGTERM. The second ends the process. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  let since = 0;
  const interrupt = () => {
    if (interrupted.signal.aborted) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(NOT_JUDGED);
      return;
    }
    since = performance.now();
    say("Interrupted: disabling the subscriptions of this run. Press Ctrl-C again to leave them active.");
    interrupted.abort(new NotJudged("The run was interrupted."));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, interrupt);
  return interrupted.signal;
}

try {
  await conformanceCommand(keyFromEnvironment(), run).parseAsync();
} catch (error) {
  process.exitCode = toExitStatus(error);
}

function toExitStatus(error: unknown): number {
  // Commander has already printed it. Help also throws, with exit code 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  say((error as Error).message);
  return error instanceof UsageError ? USAGE : NOT_JUDGED;
}
