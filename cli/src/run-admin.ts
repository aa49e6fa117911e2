import { userInfo } from "node:os";
import type { Env } from "@shipping/kit/process/config";
import { printable, redact } from "@shipping/kit/process/log";
import { RELEASE } from "@shipping/kit/release";
import { describeError } from "@shipping/kit/service/finding";
import { CommanderError } from "commander";
import { addAccountCommands } from "./commands/account-commands.js";
import { addBacklogCommands } from "./commands/backlog-commands.js";
import { addBusCommands } from "./commands/bus-commands.js";
import { addDeliveryCommands } from "./commands/delivery-commands.js";
import { addDerivedCommands } from "./commands/derived-commands.js";
import { addKeyCommands } from "./commands/key-commands.js";
import { addMemberCommands } from "./commands/member-commands.js";
import { addPlatformCommands } from "./commands/platform-commands.js";
import { addRequestCommands } from "./commands/request-commands.js";
import { addSecretsCommands } from "./commands/secrets-commands.js";
import { adminConfig, commandName } from "./platform/config.js";
import { findPlatform } from "./platform/find-platform.js";
import { AdminCommand, logChanges, type Tools } from "./tools/admin-command.js";
import { inLine, toJson } from "./tools/print.js";

export interface Shell {
  env?: Env;
  out(text: string): void;
  err(text: string): void;
  /** Asks a question, if a person is at the terminal. */
  ask?(question: string): Promise<string>;
}

/** Runs one command and returns its exit status. An error is one line on `err`. */
export async function runAdmin(args: readonly string[], terminal: Shell): Promise<number> {
  const shell = cleanOutput(terminal);
  try {
    await adminCommand(terminal).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    shell.err(`error: ${describeError(error)}\n`);
    return 1;
  }
}

/** Redacts all output and escapes its control characters, because much of it is text from customers. */
function cleanOutput({ env, out, err, ask }: Shell): Shell {
  return {
    ...(env && { env }),
    out: (text) => out(printable(redact(text))),
    err: (text) => err(printable(redact(text))),
    ...(ask && { ask: (question) => ask(inLine(question)) }),
  };
}

export function adminCommand(terminal: Shell): AdminCommand {
  const shell = cleanOutput(terminal);
  const config = () => adminConfig(shell.env);
  let found: ReturnType<typeof findPlatform> | undefined;
  const platform = () => {
    found ??= findPlatform(config());
    return found;
  };
  const operator = (): string => admin.opts().operator ?? config().OPERATOR ?? userName();
  const admin = new AdminCommand(commandName(shell.env), logChanges(platform, operator))
    .description(
      "Manage accounts, members, API keys and secrets of a running platform, look up and repair requests, events and deliveries, and check its health.",
    )
    .version(RELEASE, "--version", "print the release of these commands")
    .option("--json", "print only one JSON value")
    .option("--operator <name>", "your name in the operator log; default: OPERATOR, or your user name")
    .examples("account list", "doctor --json")
    .exitOverride()
    .configureOutput({ writeOut: shell.out, writeErr: shell.err, outputError });
  const formatted = (result: unknown, text: string) => `${admin.opts().json ? toJson(result) : text}\n`;
  const write = (text: string) => terminal.out(printable(text));
  const progress = shell.ask ? progressOn(shell.err) : () => {};
  const tools: Tools = {
    print: (result, text) => shell.out(formatted(result, text)),
    reveal: (result, text) => write(formatted(result, text)),
    write,
    progress,
    ask: shell.ask,
    platform,
    config,
  };

  addAccountCommands(admin, tools);
  addKeyCommands(admin, tools);
  addMemberCommands(admin, tools);
  addRequestCommands(admin, tools);
  addDeliveryCommands(admin, tools);
  addBacklogCommands(admin, tools);
  addBusCommands(admin, tools);
  addDerivedCommands(admin, tools);
  addSecretsCommands(admin, tools);
  addPlatformCommands(admin, tools);
  return admin;
}

const PROGRESS_MS = 2_000;

function progressOn(err: Shell["err"]): Tools["progress"] {
  let printedAt = Date.now();
  return ({ part, table, rows }) => {
    if (Date.now() - printedAt < PROGRESS_MS) return;
    printedAt = Date.now();
    err(`${part} ${table}: ${rows}\n`);
  };
}

// Joins commander's message and its suggestion of a similar word in one line.
function outputError(text: string, write: (text: string) => void): void {
  write(text.replace(/\n(?=\()/, " "));
}

// In a pod, the user has a number but no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
