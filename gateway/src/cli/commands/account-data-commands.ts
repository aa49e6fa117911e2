import { fail } from "@shipping/kit/errors";
import { findAccount } from "../../accounts/find-account.js";
import { requireSuspended, type Suspended } from "../../accounts/manage-accounts.js";
import { eraseAccount } from "../account-data/erase-account.js";
import { exportAccount } from "../account-data/export-account.js";
import type { TableCount } from "../account-data/holders.js";
import { openExport } from "../account-data/write-export.js";
import { accountOption, onAccount, onGateway } from "../platform/on-gateway.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { parseDuration } from "../tools/durations.js";
import { examples, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

/** Adds the commands that take everything of an account out of the platform. */
export function addAccountDataCommands(account: AdminCommand, tools: Tools): void {
  addExport(account, tools);
  addErase(account, tools);
}

function addExport(account: AdminCommand, { print, write, progress, platform }: Tools): void {
  account
    .command("export")
    .description("Write everything stored about an account into a folder or file; secrets are left out")
    .addHelpText("after", examples("--account Acme --out acme-export", "--account Acme --out acme.ndjson"))
    .addOption(accountOption())
    .requiredOption("--out <path>", "new folder, new file that ends in .ndjson, or - for standard output")
    .changes(async ({ account: named, out }: { account: string; out: string }) => {
      const found = await platform();
      const manifest = await onAccount(found, named, async (deps, accountId) => {
        const writer = await openExport(out, write);
        return exportAccount({ platform: found, deps, accountId }, writer, progress);
      });
      if (out !== "-") print(manifest, `${countsTable(manifest.tables)}\nExported ${manifest.account.id} to ${out}.`);
    });
}

function addErase(account: AdminCommand, { print, progress, ask, platform }: Tools): void {
  account
    .command("erase")
    .description("Delete everything stored about a suspended account, permanently; run it again if it is interrupted")
    .addHelpText("after", examples("--account Acme --confirm Acme"))
    .addOption(accountOption())
    .option("--confirm <name>", "the name or ID of the account again; if it is missing, the command asks for it")
    .option("--wait <duration>", "how long to wait for requests and deliveries in progress", parseDuration, 300_000)
    .changes(async ({ account: named, confirm, wait: waitMs }: { account: string; confirm?: string; wait: number }) => {
      const found = await platform();
      const erased = await onGateway(found, async (deps) => {
        const accountId = await findAccount(deps, named, { erased: true });
        const suspended = await requireSuspended(deps, accountId);
        const typed = confirm ?? (await ask?.(questionOf(suspended)));
        if (typed !== accountId && typed !== suspended.name) throw unconfirmed(suspended);
        return eraseAccount({ platform: found, deps, accountId }, { account: suspended, waitMs, progress });
      });
      print(erased, `${countsTable(erased.erased)}\nErased ${erased.id}.`);
    });
}

const questionOf = ({ id, name }: Suspended) =>
  `This permanently deletes everything stored about ${id} (${name}). To confirm, type its name: `;

const unconfirmed = ({ name, id }: Suspended) =>
  fail(
    "invalid_request",
    `Nothing was deleted. To confirm, add --confirm with the name or ID of the account: ${name || id}`,
  );

function countsTable(counts: readonly TableCount[]): string {
  const rows = counts.filter(({ rows }) => rows > 0).map(({ part, table, rows }) => [part, table, String(rows)]);
  return toTable(["PART", "TABLE", "ROWS"], rows);
}
