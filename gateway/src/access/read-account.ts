import { create } from "@bufbuild/protobuf";
import { databaseNow } from "@shipping/kit/postgres/clock";
import {
  type GetAccountRequest,
  GetAccountResponseSchema,
  type ListAccountsRequest,
  ListAccountsResponseSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import { type Account, noSuchAccount } from "../accounts/manage-accounts.js";
import type { GatewayDeps } from "../database/deps.js";
import { accountsToCompare, accountToRead, bounded } from "./input.js";

/** Reads the state of an account. */
export async function getAccount({ prisma }: Pick<GatewayDeps, "prisma">, request: GetAccountRequest) {
  const { accountId } = bounded(accountToRead, request);
  const account = await prisma.account.findUnique({ where: { id: accountId } });
  if (!account) throw noSuchAccount(accountId);
  return create(GetAccountResponseSchema, { account: toMessage(account) });
}

/** Reads a page of all accounts, in the order of their IDs. */
export async function listAccounts(
  deps: Pick<GatewayDeps, "db" | "prisma" | "clockOffsetMs">,
  request: ListAccountsRequest,
) {
  const { limit, after = "" } = bounded(accountsToCompare, request);
  const [moment] = await deps.db.runList<{ readAt: Date }>(sql`SELECT ${databaseNow(deps)} AS "readAt"`);
  const accounts = await deps.prisma.account.findMany({
    where: { id: { gt: after } },
    orderBy: { id: "asc" },
    take: limit,
  });
  return create(ListAccountsResponseSchema, {
    accounts: accounts.map(toMessage),
    readAt: moment!.readAt.toISOString(),
  });
}

function toMessage({ id, name, suspendedAt, erasingSince }: Account) {
  return {
    ...{ id, name },
    ...(suspendedAt && { suspendedAt: suspendedAt.toISOString() }),
    ...(erasingSince && { erasingSince: erasingSince.toISOString() }),
  };
}
