import { type Failure, fail } from "@shipping/kit/errors";
import MiniSearch from "minisearch";
import type { AdminDeps } from "../database/deps.js";
import { type Account, listAccounts, noSuchAccount } from "./manage-accounts.js";

type Named = Pick<Account, "id" | "name">;

// Keeps the error message readable.
const MAX_NAMED = 10;

/**
 * Finds an account by its ID, or by its name if the name is unique; with neither, the only account that there is. Refuses erased accounts
 * unless `allow.erased` is true.
 */
export async function findAccount(
  deps: AdminDeps,
  nameOrId: string | undefined,
  allow = { erased: false },
): Promise<string> {
  if (nameOrId === undefined) return findOnly((await listAccounts(deps)).filter(({ erasingSince }) => !erasingSince));
  const { prisma } = deps;
  const found = await prisma.account.findMany({
    where: { OR: [{ id: nameOrId }, { name: nameOrId }] },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const account = found.find(({ id }) => id === nameOrId) ?? found[0];
  if (!account) throw noMatch(nameOrId, await listAccounts(deps));
  if (account.id !== nameOrId && found.length > 1) throw ambiguous(nameOrId, found);
  if (account.erasingSince && !allow.erased) throw erasedAccount(account);
  return account.id;
}

function findOnly(accounts: readonly Named[]): string {
  const [only, ...others] = accounts;
  if (!only) throw fail("not_found", "There is no account. To create one, run account create.");
  if (others.length > 0) throw fail("invalid_request", `Add --account with a name or ID: ${listNamed(accounts)}.`);
  return only.id;
}

/** Up to ten names and IDs, for a message. */
function listNamed(accounts: readonly Named[]): string {
  const named = accounts.slice(0, MAX_NAMED).map(({ id, name }) => `${name} (${id})`);
  const more = accounts.length > named.length ? ` and ${accounts.length - named.length} more` : "";
  return `${named.join(", ")}${more}`;
}

function erasedAccount({ id, erasingSince, erasedAt }: Account): Failure {
  if (erasedAt) return fail("invalid_request", `${id} was erased at ${erasedAt.toISOString()}.`);
  const since = erasingSince!.toISOString();
  return fail("invalid_request", `${id} is being erased since ${since}. To finish, run account erase again.`);
}

function ambiguous(name: string, accounts: readonly Named[]): Failure {
  return fail(
    "invalid_request",
    `${accounts.length} accounts are named ${name}. Use the ID of one of them: ${listNamed(accounts)}.`,
  );
}

function noMatch(nameOrId: string, accounts: readonly Named[]): Failure {
  const nearest = findNearest(nameOrId, accounts);
  const { code, message } = noSuchAccount(nameOrId);
  const advice = nearest
    ? `Did you mean ${nearest.name} (${nearest.id})?`
    : "No account has a similar name. To see all accounts, run account list.";
  return fail(code, `${message}. ${advice}`);
}

function findNearest(name: string, accounts: readonly Named[]): Named | undefined {
  const index = new MiniSearch<Named>({ fields: ["name"] });
  index.addAll(accounts);
  const [best] = index.search(name, { fuzzy: 0.4, prefix: true });
  return accounts.find(({ id }) => id === best?.id);
}
