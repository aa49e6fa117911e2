import { userInfo } from "node:os";
import type { Env } from "@shipping/kit/process/config";
import { printable } from "@shipping/kit/process/log";
import { CommanderError } from "commander";
import { addAccountCommands } from "./commands/account-commands.js";
import { addAuditCommands } from "./commands/audit-commands.js";
import { addBookingCommands } from "./commands/booking-commands.js";
import { addClaimCommands } from "./commands/claim-commands.js";
import { addDeadEventCommands } from "./commands/dead-event-commands.js";
import { addDeliveryCommands } from "./commands/delivery-commands.js";
import { addDoctorCommand } from "./commands/doctor-command.js";
import { addKeyCommands } from "./commands/key-commands.js";
import { addMemberCommands } from "./commands/member-commands.js";
import { addOutboxCommands } from "./commands/outbox-commands.js";
import { addRequestCommands } from "./commands/request-commands.js";
import { addSecretsCommands } from "./commands/secrets-commands.js";
import { adminConfig, commandName } from "./platform/config.js";
import { findPlatform } from "./platform/find-platform.js";
import { reasonOf } from "./platform/finding.js";
import { AdminCommand } from "./tools/admin-command.js";
import { noteChanges } from "./tools/note-changes.js";
import { examples, inLine, toJson } from "./tools/print.js";
import type { Tools } from "./tools/tools.js";

/** The surroundings of a command line. */
export interface Shell {
  env?: Env;
  out(text: string): void;
  err(text: string): void;
  /** Where a person sits at the terminal: asks a question. */
  ask?(question: string): Promise<string>;
}

/** Runs one command of the operator, and yields its exit status. A refusal is one line on `err`. */
export async function runAdmin(args: readonly string[], terminal: Shell): Promise<number> {
  const shell = guarded(terminal);
  try {
    await adminCommand(shell).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    shell.err(`error: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** Escapes control characters in all output: much of it is text from customers. */
function guarded({ env, out, err, ask }: Shell): Shell {
  return {
    ...(env && { env }),
    out: (text) => out(printable(text)),
    err: (text) => err(printable(text)),
    ...(ask && { ask: (question) => ask(inLine(question)) }),
  };
}

/** The command line with all its commands. */
export function adminCommand(shell: Shell): AdminCommand {
  const config = () => adminConfig(shell.env);
  const platform = () => findPlatform(config());
  const operator = (): string => admin.opts().operator ?? config().OPERATOR ?? userName();
  const admin = new AdminCommand(commandName(shell.env), noteChanges(platform, operator))
    .description(
      "Manage accounts, members, API keys and secrets of a running platform, look up and repair requests, events and deliveries, and check its health.",
    )
    .option("--json", "print only one JSON value")
    .option("--operator <name>", "your name in the operator log; default: OPERATOR, or your user name")
    .addHelpText("after", examples("account list", "doctor --json"))
    .exitOverride()
    .configureOutput({ writeOut: shell.out, writeErr: shell.err, outputError });
  const print = (result: unknown, text: string) => shell.out(`${admin.opts().json ? toJson(result) : text}\n`);

  const { out: write, ask } = shell;
  const progress = shell.ask ? progressOn(shell.err) : () => {};
  const tools: Tools = { print, write, progress, ask, platform, config };

  addAccountCommands(admin, tools);
  addKeyCommands(admin, tools);
  addMemberCommands(admin, tools);
  addRequestCommands(admin, tools);
  addDeliveryCommands(admin, tools);
  addDeadEventCommands(admin, tools);
  addOutboxCommands(admin, tools);
  addBookingCommands(admin, tools);
  addClaimCommands(admin, tools);
  addAuditCommands(admin, tools);
  addSecretsCommands(admin, tools);
  addDoctorCommand(admin, tools);
  return admin;
}

const PROGRESS_MS = 2_000;

function progressOn(err: Shell["err"]): Tools["progress"] {
  let told = Date.now();
  return ({ part, table, rows }) => {
    if (Date.now() - told < PROGRESS_MS) return;
    told = Date.now();
    err(`${part} ${table}: ${rows}\n`);
  };
}

// A refusal stays one line, with the nearest word that commander suggests.
function outputError(text: string, write: (text: string) => void): void {
  write(text.replace(/\n(?=\()/, " "));
}

// In a pod, the user has a number alone.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
