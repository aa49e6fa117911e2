import { create } from "@bufbuild/protobuf";
import { type GetAccountRequest, GetAccountResponseSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import { noSuchAccount } from "../accounts/manage-accounts.js";
import type { GatewayDeps } from "../database/deps.js";
import { accountToRead, bounded } from "./input.js";

/** Reads the state of an account. */
export async function getAccount({ prisma }: Pick<GatewayDeps, "prisma">, request: GetAccountRequest) {
  const { accountId } = bounded(accountToRead, request);
  const account = await prisma.account.findUnique({ where: { id: accountId } });
  if (!account) throw noSuchAccount(accountId);
  const { id, name, suspendedAt, erasingSince } = account;
  return create(GetAccountResponseSchema, {
    account: {
      ...{ id, name },
      ...(suspendedAt && { suspendedAt: suspendedAt.toISOString() }),
      ...(erasingSince && { erasingSince: erasingSince.toISOString() }),
    },
  });
}
