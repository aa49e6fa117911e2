import type { Command } from "commander";
import { createAccount, listAccounts } from "../accounts/manage-accounts.js";
import { onGateway } from "./platform/on-gateway.js";
import { examples, toTable } from "./print.js";
import type { Tools } from "./tools.js";

/** Adds the commands for accounts. */
export function addAccountCommands(admin: Command, { print, platform, change }: Tools): void {
  const account = admin
    .command("account")
    .description("the customers of the platform")
    .addHelpText("after", examples("list"));
  account
    .command("create")
    .description("creates an account")
    .addHelpText("after", examples("--name Acme"))
    .requiredOption("--name <name>", "what people call it")
    .action(
      change(async ({ name }: { name: string }) => {
        const created = await onGateway(await platform(), (deps) => createAccount(deps, { name }));
        print(created, `Created account ${created.id} (${created.name}).`);
      }),
    );
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
