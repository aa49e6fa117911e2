import { countEdits } from "@shipping/kit/count-edits";
import { type Failure, fail } from "@shipping/kit/errors";
import type { Account } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { onAccounts } from "./call-parts.js";
import type { Platform } from "./find-platform.js";
import { PAGE, readPages } from "./read-pages.js";

// Keeps the error message readable.
const MAX_NAMED = 10;

// Two of four letters may differ, as they do after a swap.
const MOST_DIFFERENT = 0.5;

/** How many accounts are searched for a similar name. */
const MAX_SEARCHED = 1_000;

/** Reads accounts, oldest first. */
export const listAccounts = (platform: Platform, limit: number): Promise<Account[]> =>
  onAccounts(platform, (gateway) =>
    readPages(limit, async (page) => {
      const { accounts, nextCursor } = await gateway.listAccounts(page);
      return { rows: accounts, nextCursor };
    }),
  );

/**
 * Finds an account by its ID, or by its name if the name is unique; with neither, the only account that there is. Refuses erased accounts
 * unless `allow.erased` is true.
 */
export async function findAccount(
  platform: Platform,
  nameOrId: string | undefined,
  allow = { erased: false },
): Promise<Account> {
  const wanted = nameOrId === undefined ? { withoutErased: true } : { nameOrId };
  const { accounts: found } = await onAccounts(platform, (gateway) => gateway.listAccounts({ limit: PAGE, ...wanted }));
  if (nameOrId === undefined) return requireOnly(found);
  const account = found.find(({ id }) => id === nameOrId) ?? found[0];
  if (!account) throw noMatch(nameOrId, await listAccounts(platform, MAX_SEARCHED));
  if (account.id !== nameOrId && found.length > 1) throw ambiguous(nameOrId, found);
  if (account.erasingSince && !allow.erased) throw erasedAccount(account);
  return account;
}

function requireOnly(accounts: readonly Account[]): Account {
  const [only, ...others] = accounts;
  if (!only) throw fail("not_found", "There is no account. To create one, run account create.");
  if (others.length > 0) throw fail("invalid_request", `Add --account with a name or ID: ${listNamed(accounts)}.`);
  return only;
}

/** Up to ten names and IDs, for a message. */
function listNamed(accounts: readonly Account[]): string {
  const named = accounts.slice(0, MAX_NAMED).map(({ id, name }) => `${name} (${id})`);
  const more = accounts.length > named.length ? ` and ${describeCount(accounts.length - named.length)} more` : "";
  return `${named.join(", ")}${more}`;
}

/** The number of accounts, of which one page is read. */
const describeCount = (count: number) => (count >= PAGE - MAX_NAMED ? `at least ${count}` : String(count));

function erasedAccount({ id, erasingSince, erasedAt }: Account): Failure {
  if (erasedAt) return fail("invalid_request", `${id} was erased at ${erasedAt}.`);
  return fail("invalid_request", `${id} is being erased since ${erasingSince}. To finish, run account erase again.`);
}

function ambiguous(name: string, accounts: readonly Account[]): Failure {
  return fail(
    "invalid_request",
    `${describeCount(accounts.length)} accounts are named ${name}. Use the ID of one of them: ${listNamed(accounts)}.`,
  );
}

function noMatch(nameOrId: string, accounts: readonly Account[]): Failure {
  const nearest = findNearest(nameOrId, accounts);
  const advice = nearest
    ? `Did you mean ${nearest.name} (${nearest.id})?`
    : "No account has a similar name. To see all accounts, run account list.";
  return fail("not_found", `No such account: ${nameOrId}. ${advice}`);
}

/** The account whose name has the word that is most like a word of the asked name, if one is near. */
function findNearest(asked: string, accounts: readonly Account[]): Account | undefined {
  const words = wordsIn(asked);
  const distanceTo = ({ name }: Account) =>
    Math.min(...wordsIn(name).flatMap((word) => words.map((one) => distance(one, word))));
  const [nearest] = accounts
    .map((account) => ({ account, distance: distanceTo(account) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest && nearest.distance <= MOST_DIFFERENT ? nearest.account : undefined;
}

function wordsIn(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The share of a word that would have to change to become another: 0 if the other begins with it. */
function distance(word: string, other: string): number {
  return other.startsWith(word) ? 0 : countEdits(word, other) / word.length;
}
