import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import {
  type BeginErasingRequest,
  BeginErasingResponseSchema,
  type CreateAccountRequest,
  CreateAccountResponseSchema,
  type EndErasingRequest,
  EndErasingResponseSchema,
  type ListAccountsRequest,
  ListAccountsResponseSchema,
  type SetSuspendedRequest,
  SetSuspendedResponseSchema,
} from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { bounded } from "../access/input.js";
import * as accounts from "../accounts/manage-accounts.js";
import type { GatewayDeps } from "../database/deps.js";
import { createdBy } from "./acts.js";
import { accountsToList, accountToChange, accountToCreate } from "./input.js";

type Deps = Pick<GatewayDeps, "db" | "prisma" | "now" | "random" | "clockOffsetMs">;

/** Reads a page of accounts, oldest first. */
export async function listAccounts({ prisma, now }: Pick<Deps, "prisma" | "now">, request: ListAccountsRequest) {
  const { limit, after, nameOrId, withoutErased } = bounded(accountsToList, request);
  const found = await prisma.account.findMany({
    where: {
      ...(nameOrId !== undefined && { OR: [{ id: nameOrId }, { name: nameOrId }] }),
      ...(withoutErased && { erasingSince: null }),
    },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    ...(after && { cursor: { id: after }, skip: 1 }),
    take: limit + 1,
  });
  const page = found.slice(0, limit);
  return create(ListAccountsResponseSchema, {
    accounts: page.map((account) => ({ ...toMessage(account), settled: isSettled(account, now()) })),
    ...(found.length > limit && { nextCursor: page.at(-1)!.id }),
  });
}

/** Creates the account of an act. */
export async function createAccount(deps: Deps, request: CreateAccountRequest, act: string) {
  const { name } = bounded(accountToCreate, request);
  const id = createdBy(act, "acc");
  return create(CreateAccountResponseSchema, await accounts.createAccount(deps, { id, name }));
}

/** Suspends or resumes an account. */
export async function setSuspended(deps: Deps, request: SetSuspendedRequest) {
  const { accountId } = bounded(accountToChange, request);
  await accounts.setSuspended(deps, accountId, request.suspended);
  const { erasingSince } = await accounts.requireAccount(deps, accountId);
  if (erasingSince) throw fail("not_found", `${accountId} is being erased. Nothing was changed.`);
  return create(SetSuspendedResponseSchema);
}

/** Begins to erase an account that starts no new work. */
export async function beginErasing(deps: Deps, request: BeginErasingRequest) {
  const { accountId } = bounded(accountToChange, request);
  const account = await accounts.requireAccount(deps, accountId);
  if (!account.suspendedAt)
    throw fail("invalid_request", `${accountId} (${account.name}) is not suspended. Run account suspend first.`);
  if (!isSettled(account, deps.now()))
    throw fail("invalid_request", `${accountId} was suspended less than a minute ago. Try again later.`);
  await accounts.beginErasing(deps, accountId);
  return create(BeginErasingResponseSchema);
}

/** Removes the name of an account whose rows are deleted. */
export async function endErasing(deps: Deps, request: EndErasingRequest) {
  const { accountId } = bounded(accountToChange, request);
  const { erasingSince } = await accounts.requireAccount(deps, accountId);
  if (!erasingSince) throw fail("invalid_request", `The erasure of ${accountId} has not begun.`);
  return create(EndErasingResponseSchema, {
    erasedAt: (await accounts.endErasing(deps, accountId)).toISOString(),
  });
}

/** How long a suspended account may still change something: its last request can take 30 s to arrive and 10 s to be answered. */
const SETTLED_AFTER_MS = 60_000;

function isSettled({ suspendedAt }: Pick<accounts.Account, "suspendedAt">, now: Date): boolean {
  return suspendedAt !== null && suspendedAt.getTime() + SETTLED_AFTER_MS <= now.getTime();
}

function toMessage({ id, name, createdAt, suspendedAt, erasingSince, erasedAt }: accounts.Account) {
  return {
    ...{ id, name, createdAt: createdAt.toISOString() },
    ...(suspendedAt && { suspendedAt: suspendedAt.toISOString() }),
    ...(erasingSince && { erasingSince: erasingSince.toISOString() }),
    ...(erasedAt && { erasedAt: erasedAt.toISOString() }),
  };
}
