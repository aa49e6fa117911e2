import { type Scope, scopes } from "@shipping/api/api-key";
import { InvalidArgumentError } from "commander";
import {
  type CreatedKey,
  createKey,
  type ListedKey,
  listKeys,
  type NewKey,
  revokeKey,
} from "../../accounts/manage-keys.js";
import { onAccount, onGateway } from "../platform/reach-parts.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { accountOption, environmentOption, parseDuration } from "../tools/options.js";
import { toTable } from "../tools/print.js";

interface CreateOptions extends Pick<NewKey, "environment" | "name" | "scopes"> {
  account?: string;
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
    .changes(async ({ account, expiresIn, ...options }: CreateOptions) => {
      const created = await onAccount(await platform(), account, (deps, accountId) =>
        createKey(deps, { accountId, ...(expiresIn !== undefined && { expiresInMs: expiresIn }), ...options }),
      );
      reveal(created, describeNewKey(created));
    });
  key
    .command("list")
    .description("List the keys of an account")
    .examples("--account Acme")
    .addOption(accountOption())
    .reads(async ({ account }: { account?: string }) => {
      const keys = await onAccount(await platform(), account, (deps, accountId) => listKeys(deps, { accountId }));
      print(keys, toTable(["ID", "ENVIRONMENT", "ENDS IN", "STATUS", "LAST USED", "NAME", "SCOPES"], keys.map(keyRow)));
    });
  key
    .command("revoke")
    .description("Revoke a key, effective immediately")
    .examples("key_mfrggzdfmztwq2lknnwg23tpoa")
    .argument("<key-id>", "ID of the key")
    .changes(async (id: string) => {
      const revoked = await onGateway(await platform(), (deps) => revokeKey(deps, { id }));
      print(revoked, `Revoked ${id} at ${revoked.revokedAt.toISOString()}.`);
    });
}

function describeNewKey({ key, id, environment, scopes, expiresAt }: CreatedKey): string {
  const expiry = expiresAt ? `expires ${expiresAt.toISOString()}` : "never expires";
  return `${key}\n\nThis is the only time the key is shown. Its ID is ${id} (${environment}, ${expiry}). Scopes: ${scopes.join(" ")}.`;
}

function keyRow({ id, environment, name, lastFour, scopes, expiresAt, revokedAt, lastUsedAt }: ListedKey): string[] {
  const verb = expiresAt && expiresAt <= new Date() ? "expired" : "expires";
  const expiry = expiresAt ? `${verb} ${expiresAt.toISOString()}` : "active";
  const status = revokedAt ? `revoked ${revokedAt.toISOString()}` : expiry;
  return [id, environment, lastFour, status, lastUsedAt?.toISOString() ?? "never", name ?? "", scopes.join(" ")];
}

function parseScopes(text: string): Scope[] {
  const wanted = [...new Set(text.split(",").map((scope) => scope.trim()))];
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    const named = unknown.map((scope) => JSON.stringify(scope)).join(", ");
    throw new InvalidArgumentError(`Unknown scope: ${named}. The scopes are ${scopes.join(", ")}.`);
  }
  return wanted.filter(isScope);
}

function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
