import { fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import type { GatewayDeps } from "../deps.js";

/** What the operator's operations need. */
export type AdminDeps = Pick<GatewayDeps, "prisma" | "now" | "random">;

const NAME = /^(?=.*\S)\P{Cc}{1,200}$/u;

/** Creates an account. Names need not be unique. */
export async function createAccount(
  deps: AdminDeps,
  { name }: { name: string },
): Promise<{ id: string; name: string }> {
  if (!NAME.test(name)) {
    throw fail(
      "invalid_request",
      "An account's name has 1 to 200 characters, not all of them blank, none of them a control character.",
    );
  }
  return deps.prisma.account.create({
    data: { id: newId("acc", deps.random), name, createdAt: deps.now() },
    select: { id: true, name: true },
  });
}

/** All accounts, the oldest first. */
export function listAccounts(deps: AdminDeps): Promise<{ id: string; name: string; createdAt: Date }[]> {
  return deps.prisma.account.findMany({ orderBy: [{ createdAt: "asc" }, { id: "asc" }] });
}
