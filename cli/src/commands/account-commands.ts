import { fail } from "@shipping/kit/errors";
import type { Account } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { eraseAccount } from "../account-data/erase-account.js";
import { exportAccount, openExport } from "../account-data/export-account.js";
import type { TableCount } from "../account-data/table-counts.js";
import { onAccounts, onOwner, onPortal, onWebhooks } from "../platform/call-parts.js";
import { findAccount, listAccounts } from "../platform/find-account.js";
import { deployedParts } from "../platform/find-platform.js";
import { plain } from "../platform/plain.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { accountOption, namedAccountOption, parseDuration } from "../tools/options.js";
import { toTable } from "../tools/print.js";
import { describeLink, getOrigin } from "./member-commands.js";

export function addAccountCommands(admin: AdminCommand, tools: Tools): void {
  const { print, platform, config } = tools;
  const account = admin.command("account").description("Manage the customers of the platform").examples("list");
  account
    .command("create")
    .description("Create an account")
    .examples("--name Acme", "--name Globex --admin-email ada@example.com")
    .requiredOption("--name <name>", "display name")
    .option("--admin-email <email>", "email address of its first admin; prints a sign-in link for them")
    .changes(async ({ name, adminEmail }: { name: string; adminEmail?: string }) => {
      const found = await platform();
      // Checked first, so that neither a refusal nor a portal that does not answer leaves an account without an admin.
      const admin = adminEmail === undefined ? undefined : { origin: getOrigin(config(), found), email: adminEmail };
      if (admin) await onPortal(found, (portal) => portal.normalizeEmail(admin));
      const created = plain(await onAccounts(found, (gateway) => gateway.createAccount({ name })));
      const text = `Created account ${created.id} (${created.name}).`;
      if (!admin) return print(created, text);
      const link = await onPortal(found, async (portal) => {
        const { email, origin } = admin;
        await portal.addMember({ accountId: created.id, email, role: "admin" });
        return portal.createSignInLink({ accountId: created.id, email, origin });
      });
      print({ ...created, admin: plain(link) }, `${text}\n${describeLink(link)}`);
    });
  account
    .command("list")
    .description("List all accounts")
    .examples("", "--json")
    .reads(async () => {
      const accounts = await listAccounts(await platform(), Number.POSITIVE_INFINITY);
      const rows = accounts.map((one) => [one.id, one.createdAt, describeStatus(one), one.name]);
      const facts = accounts.map(plain).map(({ settled, ...account }) => account);
      print(facts, toTable(["ID", "CREATED", "STATUS", "NAME"], rows));
    });
  account
    .command("usage")
    .description("Count the resources of an account and its requests in the last seven days")
    .examples("--account Acme")
    .addOption(accountOption())
    .reads(async ({ account: named }: { account?: string }) => {
      const found = await platform();
      const { id: accountId } = await findAccount(found, named);
      const counted = await Promise.all(
        deployedParts(found).map((part) => onOwner(found, part, (owner) => owner.countResources({ accountId }))),
      );
      // An empty environment stands for both together.
      const all = counted
        .flatMap(({ counts }) => counts)
        .map(({ kind, environment, count }) => ({
          kind,
          ...(environment && { environment }),
          count: Number(count),
        }));
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
      .examples("--account Acme")
      .addOption(namedAccountOption())
      .changes(async ({ account: named }: { account: string }) => {
        const found = await platform();
        // To suspend, block the keys first; to resume, release the deliveries first. An interrupted command can be repeated without losing
        // deliveries.
        const { id } = await findAccount(found, named);
        const onKeys = () => onAccounts(found, (gateway) => gateway.setSuspended({ accountId: id, suspended }));
        if (suspended) await onKeys();
        await onWebhooks(found, (webhooks) => webhooks.holdDeliveries({ accountId: id, held: suspended }));
        if (!suspended) await onKeys();
        print({ id, suspended }, suspended ? `Suspended ${id}.` : `Resumed ${id}.`);
      });
  }
  addExport(account, tools);
  addErase(account, tools);
}

function describeStatus({ suspendedAt, erasingSince, erasedAt }: Account): string {
  if (erasedAt) return `erased ${erasedAt}`;
  if (erasingSince) return `being erased since ${erasingSince}`;
  return suspendedAt ? `suspended ${suspendedAt}` : "active";
}

function addExport(account: AdminCommand, { print, write, progress, platform }: Tools): void {
  account
    .command("export")
    .description("Write everything stored about an account into a folder or file; secrets are left out")
    .examples("--account Acme --out acme-export", "--account Acme --out acme.ndjson")
    .addOption(accountOption())
    .requiredOption("--out <path>", "new folder, new file that ends in .ndjson, or - for standard output")
    .changes(async ({ account: named, out }: { account?: string; out: string }) => {
      const found = await platform();
      const account = await findAccount(found, named);
      const manifest = await exportAccount(found, account, await openExport(out, write), progress);
      if (out !== "-")
        print(
          manifest,
          `${countsTable(manifest.tables)}\nExported ${manifest.account.id} to ${out}.${describeWithout(manifest)}`,
        );
    });
}

function addErase(account: AdminCommand, { print, progress, ask, platform }: Tools): void {
  account
    .command("erase")
    .description("Delete everything stored about a suspended account, permanently; run it again if it is interrupted")
    .examples("--account Acme --confirm Acme")
    .addOption(namedAccountOption())
    .option("--confirm <name>", "the name or ID of the account again; if it is missing, the command asks for it")
    .option("--wait <duration>", "how long to wait for requests and deliveries in progress", parseDuration, 300_000)
    .changes(async ({ account: named, confirm, wait: waitMs }: { account: string; confirm?: string; wait: number }) => {
      const found = await platform();
      const account = await findAccount(found, named, { erased: true });
      if (!account.suspendedAt) throw notSuspended(account);
      const typed = confirm ?? (await ask?.(confirmQuestion(account)));
      if (typed !== account.id && typed !== account.name) throw unconfirmed(account);
      const erased = await eraseAccount({ platform: found, accountId: account.id }, { waitMs, progress });
      const left = toTable(
        ["STILL IN", "UNTIL"],
        erased.remaining.map(({ where, until }) => [where, until]),
      );
      print(erased, `${countsTable(erased.erased)}\nErased ${erased.id}.\n\n${left}`);
    });
}

const describeWithout = ({ without }: { without?: readonly string[] }) =>
  without ? `\nWithout the data of ${without.join(", ")}: PORTAL_URL is not set.` : "";

const notSuspended = ({ id, name }: Account) =>
  fail("invalid_request", `${id} (${name}) is not suspended. Run account suspend first: nothing was deleted.`);

const confirmQuestion = ({ id, name }: Account) =>
  `This permanently deletes everything stored about ${id} (${name}). To confirm, type its name: `;

const unconfirmed = ({ name, id }: Account) =>
  fail(
    "invalid_request",
    `Nothing was deleted. To confirm, add --confirm with the name or ID of the account: ${name || id}`,
  );

function countsTable(counts: readonly TableCount[]): string {
  const rows = counts.filter(({ rows }) => rows > 0).map(({ part, table, rows }) => [part, table, String(rows)]);
  return toTable(["PART", "TABLE", "ROWS"], rows);
}
