import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { GatewayDeps } from "../database/deps.js";
import { isClean } from "../input/text.js";

/** The dependencies of the operator's operations. */
export type AdminDeps = Pick<GatewayDeps, "db" | "prisma" | "now" | "random"> &
  Partial<Pick<GatewayDeps, "clockOffsetMs">>;

const NAME = /^(?=.*\S)\P{Cc}{1,200}$/u;

/** The rule for names, as the end of a sentence that says "must have". */
export const NAME_RULE = "1 to 200 characters, at least one of them not a space, and no control characters";

/** True if an account or a key may have this name. */
export function isName(text: string): boolean {
  return NAME.test(text) && isClean(text);
}

/** Creates an account. Names need not be unique. */
export async function createAccount(
  deps: AdminDeps,
  { name }: { name: string },
): Promise<{ id: string; name: string }> {
  requireName(name, "An account's name");
  return deps.prisma.account.create({
    data: { id: newId("acc", deps.random), name, createdAt: deps.now() },
    select: { id: true, name: true },
  });
}

/** An account, with the times at which it was suspended and erased, if it was. */
export interface Account {
  id: string;
  name: string;
  createdAt: Date;
  suspendedAt: Date | null;
  erasingSince: Date | null;
  erasedAt: Date | null;
}

/** All accounts, the oldest first. */
export function listAccounts(deps: AdminDeps): Promise<Account[]> {
  return deps.prisma.account.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
}

/** Refuses an invalid name of `what`. */
export function requireName(name: string, what: string): void {
  if (!isName(name)) throw fail("invalid_request", `${what} must have ${NAME_RULE}.`);
}

/** Refuses an account that does not exist. */
export async function requireAccount({ prisma }: Pick<AdminDeps, "prisma">, id: string): Promise<void> {
  const account = await prisma.account.findUnique({ where: { id }, select: { id: true } });
  if (!account) throw noSuchAccount(id);
}

/** The refusal of an account that does not exist. */
export function noSuchAccount(id: string): Failure {
  return fail("not_found", `No such account: ${id}`);
}
