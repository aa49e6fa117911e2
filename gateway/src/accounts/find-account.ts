import { type Failure, fail } from "@shipping/kit/errors";
import MiniSearch from "minisearch";
import type { AdminDeps } from "../database/deps.js";
import { type Account, listAccounts, noSuchAccount } from "./manage-accounts.js";

type Named = Pick<Awaited<ReturnType<typeof listAccounts>>[number], "id" | "name">;

// So that the refusal stays one line that a person can read.
const MAX_NAMED = 10;

/** The id of the account that a person means: by its id, or by its name if no other account has it. Erased ones are refused, unless they are wanted. */
export async function findAccount(deps: AdminDeps, nameOrId: string, wanted = { erased: false }): Promise<string> {
  const { prisma } = deps;
  const found = await prisma.account.findMany({
    where: { OR: [{ id: nameOrId }, { name: nameOrId }] },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  const account = found.find(({ id }) => id === nameOrId) ?? found[0];
  if (!account) throw nobody(nameOrId, await listAccounts(deps));
  if (account.id !== nameOrId && found.length > 1) throw several(nameOrId, found);
  if (account.erasingSince && !wanted.erased) throw erased(account);
  return account.id;
}

function erased({ id, erasingSince, erasedAt }: Account): Failure {
  if (erasedAt) return fail("invalid_request", `${id} was erased at ${erasedAt.toISOString()}.`);
  const since = erasingSince!.toISOString();
  return fail("invalid_request", `${id} is being erased since ${since}. To finish, run account erase again.`);
}

function several(name: string, accounts: readonly Named[]): Failure {
  const ids = accounts.slice(0, MAX_NAMED).map(({ id }) => id);
  const more = accounts.length > ids.length ? ` and ${accounts.length - ids.length} more` : "";
  return fail(
    "invalid_request",
    `${accounts.length} accounts are named ${name}. Use the ID of one of them: ${ids.join(", ")}${more}.`,
  );
}

function nobody(nameOrId: string, accounts: readonly Named[]): Failure {
  const nearest = nearestTo(nameOrId, accounts);
  const { code, message } = noSuchAccount(nameOrId);
  const advice = nearest
    ? `Did you mean ${nearest.name} (${nearest.id})?`
    : "No account has a similar name. To see all accounts, run account list.";
  return fail(code, `${message}. ${advice}`);
}

function nearestTo(name: string, accounts: readonly Named[]): Named | undefined {
  const index = new MiniSearch<Named>({ fields: ["name"] });
  index.addAll(accounts);
  const [best] = index.search(name, { fuzzy: 0.4, prefix: true });
  return accounts.find(({ id }) => id === best?.id);
}
