import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { Command, CommanderError } from "commander";
import { createAccount, listAccounts } from "../accounts/manage-accounts.js";
import { checkPlatform } from "./doctor/check-platform.js";
import { addKeyCommands } from "./key-commands.js";
import { describeRotation, isComplete, rotateSecrets } from "./manage-secrets.js";
import { addMemberCommands } from "./member-commands.js";
import { adminConfig, commandName } from "./platform/config.js";
import { type FindPlatform, findPlatform } from "./platform/find-platform.js";
import { reasonOf } from "./platform/finding.js";
import { onGateway } from "./platform/on-gateway.js";
import { examples, type Print, toJson, toTable } from "./print.js";
import { addRequestCommands } from "./request-commands.js";

/** The surroundings of a command line. */
export interface Shell {
  env?: Env;
  out(text: string): void;
  err(text: string): void;
}

/** Runs one command of the operator, and yields its exit status. A refusal is one line on `err`. */
export async function runAdmin(args: readonly string[], shell: Shell): Promise<number> {
  try {
    await adminCommand(shell).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    shell.err(`error: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** The command line with all its commands. */
export function adminCommand(shell: Shell): Command {
  const admin = new Command(commandName(shell.env))
    .description("Accounts, members, API keys, requests and sealed secrets of a running platform, and its health.")
    .option("--json", "print one JSON value and nothing else")
    .addHelpText("after", examples("account list", "doctor --json"))
    .exitOverride()
    .configureOutput({ writeOut: shell.out, writeErr: shell.err, outputError });
  const config = () => adminConfig(shell.env);
  const platform = () => findPlatform(config());
  const print = (result: unknown, text: string) => shell.out(`${admin.opts().json ? toJson(result) : text}\n`);

  addAccountCommands(admin, print, platform);
  addKeyCommands(admin, print, platform);
  addMemberCommands(admin, print, platform, config);
  addRequestCommands(admin, print, platform);
  addSecretsCommands(admin, print, platform);
  admin
    .command("doctor")
    .description("says what is reachable and migrated, and what to do if not")
    .addHelpText("after", examples(""))
    .action(async () => {
      const findings = await checkPlatform(await platform(), silentLog());
      const lines = findings.map(
        ({ part, ok, says, advice }) => `${ok ? "ok" : "!!"}  ${part}: ${says}${advice ? `\n    ${advice}` : ""}`,
      );
      const ok = findings.every((finding) => finding.ok);
      print({ ok, findings }, lines.join("\n"));
      if (!ok) throw new CommanderError(1, "admin.doctor", "something is wrong");
    });
  return admin;
}

// A refusal stays one line, with the nearest word that commander suggests.
function outputError(text: string, write: (text: string) => void): void {
  write(text.replace(/\n(?=\()/, " "));
}

function addAccountCommands(admin: Command, print: Print, platform: FindPlatform): void {
  const account = admin
    .command("account")
    .description("the customers of the platform")
    .addHelpText("after", examples("list"));
  account
    .command("create")
    .description("creates an account")
    .addHelpText("after", examples("--name Acme"))
    .requiredOption("--name <name>", "what people call it")
    .action(async ({ name }: { name: string }) => {
      const created = await onGateway(await platform(), (deps) => createAccount(deps, { name }));
      print(created, `Created account ${created.id} (${created.name}).`);
    });
  account
    .command("list")
    .description("lists all accounts")
    .addHelpText("after", examples("", "--json"))
    .action(async () => {
      const accounts = await onGateway(await platform(), listAccounts);
      const rows = accounts.map(({ id, name, createdAt }) => [id, createdAt.toISOString(), name]);
      print(accounts, toTable(["ID", "CREATED", "NAME"], rows));
    });
}

function addSecretsCommands(admin: Command, print: Print, platform: FindPlatform): void {
  const secrets = admin
    .command("secrets")
    .description("what webhooks keeps sealed")
    .addHelpText("after", examples("rotate"));
  secrets
    .command("rotate")
    .description("seals everything with the first key of SECRETS_KEYS, and says which keys may go")
    .addHelpText("after", examples(""))
    .action(async () => {
      const rotated = await rotateSecrets(await platform());
      print(rotated, describeRotation(rotated));
      if (!isComplete(rotated))
        throw new CommanderError(1, "admin.secrets", "some secrets are not sealed with the first key");
    });
}
