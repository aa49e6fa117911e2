import { type Command, InvalidArgumentError, Option } from "commander";
import { type CreatedKey, createKey, type ListedKey, listKeys, revokeKey } from "../accounts/manage-keys.js";
import { type Scope, scopes } from "../admission/api-key.js";
import type { FindPlatform } from "./platform/find-platform.js";
import { accountOption, onAccount, onGateway } from "./platform/on-gateway.js";
import { examples, type Print, toTable } from "./print.js";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 36_500 * UNIT_MS.d;

/** Adds the commands for API keys. */
export function addKeyCommands(admin: Command, print: Print, platform: FindPlatform): void {
  const key = admin
    .command("key")
    .description("the API keys of an account")
    .addHelpText("after", examples("list --account Acme"));
  key
    .command("create")
    .description("creates a key and shows it, this once")
    .addHelpText(
      "after",
      examples(
        "--account Acme --environment sandbox",
        "--account Acme --environment sandbox --scopes orders:read,orders:write --expires-in 90d",
      ),
    )
    .addOption(accountOption())
    .addOption(
      new Option("--environment <environment>", "what it opens").choices(["sandbox", "live"]).makeOptionMandatory(),
    )
    .option("--name <name>", "what people call it")
    .option("--scopes <scopes>", "scopes separated by commas; all ten if absent", parseScopes)
    .option("--expires-in <duration>", "a number with s, m, h or d; never if absent", parseDuration)
    .action(async ({ account, expiresIn: expiresInMs, ...options }) => {
      const created = await onAccount(await platform(), account, (deps, accountId) =>
        createKey(deps, { accountId, expiresInMs, ...options }),
      );
      print(created, describeNewKey(created));
    });
  key
    .command("list")
    .description("lists the keys of an account")
    .addHelpText("after", examples("--account Acme"))
    .addOption(accountOption())
    .action(async ({ account }: { account: string }) => {
      const keys = await onAccount(await platform(), account, (deps, accountId) => listKeys(deps, { accountId }));
      print(keys, toTable(["ID", "ENVIRONMENT", "ENDS IN", "STATUS", "LAST USED", "NAME", "SCOPES"], keys.map(keyRow)));
    });
  key
    .command("revoke")
    .description("revokes a key, from its next request on")
    .addHelpText("after", examples("key_mfrggzdfmztwq2lknnwg23tpoa"))
    .argument("<key-id>", "id of the key")
    .action(async (id: string) => {
      const revoked = await onGateway(await platform(), (deps) => revokeKey(deps, { id }));
      print(revoked, `Revoked ${id} at ${revoked.revokedAt.toISOString()}.`);
    });
}

function describeNewKey({ key, id, environment, scopes, expiresAt }: CreatedKey): string {
  const expiry = expiresAt ? `expires ${expiresAt.toISOString()}` : "never expires";
  return `${key}\n\nThis is the only time the key is shown. Its id is ${id}; ${environment}, ${expiry}, ${scopes.join(" ")}.`;
}

function keyRow({ id, environment, name, lastFour, scopes, expiresAt, revokedAt, lastUsedAt }: ListedKey): string[] {
  const verb = expiresAt && expiresAt <= new Date() ? "expired" : "expires";
  const expiry = expiresAt ? `${verb} ${expiresAt.toISOString()}` : "active";
  const status = revokedAt ? `revoked ${revokedAt.toISOString()}` : expiry;
  return [id, environment, lastFour, status, lastUsedAt?.toISOString() ?? "never", name ?? "", scopes.join(" ")];
}

/** Reads a list of scopes, separated by commas. */
function parseScopes(text: string): Scope[] {
  const wanted = [...new Set(text.split(",").map((scope) => scope.trim()))];
  const unknown = wanted.filter((scope) => !isScope(scope));
  if (unknown.length > 0) {
    const named = unknown.map((scope) => JSON.stringify(scope)).join(", ");
    throw new InvalidArgumentError(`Not a scope: ${named}. The scopes are ${scopes.join(", ")}.`);
  }
  return wanted.filter(isScope);
}

/** Reads a duration such as `90d`, in milliseconds. */
function parseDuration(text: string): number {
  const [, count, unit] = text.match(/^([1-9][0-9]*)([smhd])$/) ?? [];
  const durationMs = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(durationMs <= LONGEST_MS)) {
    throw new InvalidArgumentError("It takes a whole number with s, m, h or d, up to 36500d.");
  }
  return durationMs;
}

function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
