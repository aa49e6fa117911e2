import { scopes as allScopes, newApiKey, type Scope } from "@shipping/api/api-key";
import type { Environment } from "@shipping/kit/caller";
import { pooledRandom } from "@shipping/kit/ids";
import type { Key } from "@shipping/proto/shipping/access/v1/access_pb";
import { InvalidArgumentError } from "commander";
import { onAccounts } from "../platform/call-parts.js";
import { findAccount } from "../platform/find-account.js";
import { plain } from "../platform/plain.js";
import { readPages } from "../platform/read-pages.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { accountOption, environmentOption, parseDuration } from "../tools/options.js";
import { toTable } from "../tools/print.js";

interface CreateOptions {
  account?: string;
  environment: Environment;
  name?: string;
  scopes?: readonly Scope[];
  /** The time until the key expires, in milliseconds. */
  expiresIn?: number;
}

export function addKeyCommands(admin: AdminCommand, { print, reveal, platform }: Tools): void {
  const key = admin.command("key").description("Manage the API keys of an account").examples("list --account Acme");
  key
    .command("create")
    .description("Create a key and show it once")
    .examples(
      "--account Acme --environment sandbox",
      "--account Acme --environment sandbox --scopes orders:read,orders:write --expires-in 90d",
    )
    .addOption(accountOption())
    .addOption(environmentOption("environment of the key"))
    .option("--name <name>", "display name")
    .option("--scopes <scopes>", "comma-separated scopes; default: all ten", parseScopes)
    .option("--expires-in <duration>", "a number with s, m, h or d; default: never", parseDuration)
    .changes(async ({ account, environment, name, scopes = allScopes, expiresIn }: CreateOptions) => {
      const found = await platform();
      const { id: accountId } = await findAccount(found, account);
      // The key is made here and shown here. The gateway gets its hash.
      const { key, ...stored } = newApiKey(environment, pooledRandom);
      const { id, expiresAt } = await onAccounts(found, (gateway) =>
        gateway.createKey({
          caller: { accountId, environment },
          ...(name !== undefined && { name }),
          scopes: [...scopes],
          ...(expiresIn !== undefined && { expiresInMs: BigInt(expiresIn) }),
          ...stored,
        }),
      );
      const created = { id, key, accountId, environment, scopes, ...(expiresAt !== undefined && { expiresAt }) };
      reveal(created, describeNewKey(created));
    });
  key
    .command("list")
    .description("List the keys of an account")
    .examples("--account Acme")
    .addOption(accountOption())
    .reads(async ({ account }: { account?: string }) => {
      const found = await platform();
      const { id: accountId } = await findAccount(found, account);
      const keys = await onAccounts(found, (gateway) =>
        readPages(Number.POSITIVE_INFINITY, async (page) => {
          const { keys, nextCursor } = await gateway.listKeys({ accountId, ...page });
          return { rows: keys, nextCursor };
        }),
      );
      const facts = keys.map(plain).map(({ active, ...key }) => key);
      print(
        facts,
        toTable(["ID", "ENVIRONMENT", "ENDS IN", "STATUS", "LAST USED", "NAME", "SCOPES"], keys.map(keyRow)),
      );
    });
  key
    .command("revoke")
    .description("Revoke a key, effective immediately")
    .examples("key_mfrggzdfmztwq2lknnwg23tpoa")
    .argument("<key-id>", "ID of the key")
    .changes(async (id: string) => {
      const { revokedAt } = await onAccounts(await platform(), (gateway) => gateway.revokeKey({ id }));
      print({ id, revokedAt }, `Revoked ${id} at ${revokedAt}.`);
    });
}

/** A new key, which cannot be shown again. */
interface CreatedKey {
  id: string;
  key: string;
  environment: Environment;
  scopes: readonly Scope[];
  expiresAt?: string;
}

function describeNewKey({ key, id, environment, scopes, expiresAt }: CreatedKey): string {
  const expiry = expiresAt ? `expires ${expiresAt}` : "never expires";
  return `${key}\n\nThis is the only time the key is shown. Its ID is ${id} (${environment}, ${expiry}). Scopes: ${scopes.join(" ")}.`;
}

function keyRow({ id, environment, name, lastFour, scopes, active, expiresAt, revokedAt, lastUsedAt }: Key): string[] {
  const expiry = expiresAt ? `${active ? "expires" : "expired"} ${expiresAt}` : "active";
  const status = revokedAt ? `revoked ${revokedAt}` : expiry;
  return [id, environment, lastFour, status, lastUsedAt ?? "never", name ?? "", scopes.join(" ")];
}

function parseScopes(text: string): Scope[] {
  const wanted = [...new Set(text.split(",").map((scope) => scope.trim()))];
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    const named = unknown.map((scope) => JSON.stringify(scope)).join(", ");
    throw new InvalidArgumentError(`Unknown scope: ${named}. The scopes are ${allScopes.join(", ")}.`);
  }
  return wanted.filter(isScope);
}

function isScope(text: string): text is Scope {
  return (allScopes as readonly string[]).includes(text);
}
