import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import {
  type Account,
  type Counted,
  createAccount,
  listAccounts,
  readUsage,
  setSuspended,
} from "../../accounts/manage-accounts.js";
import type { AdminDeps } from "../../database/deps.js";
import { CALL_MS, callService } from "../platform/call-service.js";
import { parts } from "../platform/find-platform.js";
import { accountOption, onAccount, onGateway } from "../platform/on-gateway.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";
import { addAccountDataCommands } from "./account-data-commands.js";

const SERVICES = parts.filter((part) => part !== "gateway");

/** Adds the commands for accounts. */
export function addAccountCommands(admin: AdminCommand, tools: Tools): void {
  const { print, platform } = tools;
  const account = admin
    .command("account")
    .description("Manage the customers of the platform")
    .addHelpText("after", examples("list"));
  account
    .command("create")
    .description("Create an account")
    .addHelpText("after", examples("--name Acme"))
    .requiredOption("--name <name>", "display name")
    .changes(async ({ name }: { name: string }) => {
      const created = await onGateway(await platform(), (deps) => createAccount(deps, { name }));
      print(created, `Created account ${created.id} (${created.name}).`);
    });
  account
    .command("list")
    .description("List all accounts")
    .addHelpText("after", examples("", "--json"))
    .reads(async () => {
      const accounts = await onGateway(await platform(), listAccounts);
      const rows = accounts.map((one) => [one.id, one.createdAt.toISOString(), statusOf(one), one.name]);
      print(accounts, toTable(["ID", "CREATED", "STATUS", "NAME"], rows));
    });
  account
    .command("usage")
    .description("Count the resources of an account and its requests in the last seven days")
    .addHelpText("after", examples("--account Acme"))
    .addOption(accountOption())
    .reads(async ({ account: named }: { account: string }) => {
      const found = await platform();
      const [accountId, own] = await onAccount(
        found,
        named,
        async (deps, id) => [id, await readUsage(deps, id)] as const,
      );
      const owned = await Promise.all(
        SERVICES.map(async (part) => {
          const { counts } = await callService(found, part, OwnerOperationsService, (owner) =>
            owner.countResources({ accountId }, { timeoutMs: CALL_MS }),
          );
          return counts.map(({ kind, environment, count }) => ({ kind, environment, count: Number(count) }));
        }),
      );
      const all: Counted[] = [...own, ...owned.flat()];
      const rows = all.map(({ kind, environment = "", count }) => [kind, environment, String(count)]);
      print(all, toTable(["RESOURCE", "ENVIRONMENT", "COUNT"], rows));
    });
  for (const [name, suspended, says] of [
    [
      "suspend",
      true,
      "Reject the API keys and changes of an account and hold its webhook deliveries; nothing is deleted",
    ],
    ["resume", false, "Accept the API keys and changes of an account again and send the deliveries that were held"],
  ] as const) {
    account
      .command(name)
      .description(says)
      .addHelpText("after", examples("--account Acme"))
      .addOption(accountOption())
      .changes(async ({ account: named }: { account: string }) => {
        const found = await platform();
        // Keys first when it is suspended, deliveries first when it is resumed: cut off in between it can be repeated, and loses nothing.
        const onKeys = (deps: AdminDeps, id: string) => setSuspended(deps, id, suspended).then(() => id);
        const id = await onAccount(found, named, suspended ? onKeys : async (_, accountId) => accountId);
        await callService(found, "webhooks", WebhooksOperationsService, (webhooks) =>
          webhooks.holdDeliveries({ accountId: id, held: suspended }, { timeoutMs: CALL_MS }),
        );
        if (!suspended) await onAccount(found, id, onKeys);
        print({ id, suspended }, suspended ? `Suspended ${id}.` : `Resumed ${id}.`);
      });
  }
  addAccountDataCommands(account, tools);
}

function statusOf({ suspendedAt, erasingSince, erasedAt }: Account): string {
  if (erasedAt) return `erased ${erasedAt.toISOString()}`;
  if (erasingSince) return `being erased since ${erasingSince.toISOString()}`;
  return suspendedAt ? `suspended ${suspendedAt.toISOString()}` : "active";
}
