import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import type { Finding } from "@shipping/kit/service/finding";
import {
  type Account,
  AccountSchema,
  AccountsService,
  type Act,
  ListAccountsResponseSchema,
} from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";

export type StubAccount = Partial<Omit<Account, "$typeName" | "$unknown">> & Pick<Account, "id" | "name">;

export const HEALTHY = { part: "database", ok: true, says: "reachable and migrated, on PostgreSQL 17.1" };

/** A gateway that keeps acts in memory, and has these accounts. Its other methods are those that a test gives. */
export async function stubGateway(
  methods: Partial<ServiceImpl<typeof AccountsService>> = {},
  { accounts = [], token }: { accounts?: StubAccount[]; token?: string } = {},
) {
  const acts: Partial<Act>[] = [];
  const findings: Omit<Finding, "encryption">[] = [HEALTHY];
  const server = await serve({
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
    ...(token !== undefined && { token }),
    routes(router) {
      router.service(OwnerOperationsService, { checkServers: () => ({ findings }) });
      router.service(AccountsService, {
        beginAct({ act }) {
          acts.push({ ...act!, outcome: "begun" });
          return {};
        },
        endAct({ id, reason }) {
          const act = acts.find((one) => one.id === id)!;
          Object.assign(act, { outcome: reason === undefined ? "done" : "failed", reason });
          return {};
        },
        listAccounts({ limit, after, nameOrId, withoutErased }) {
          const found = accounts
            .filter(({ id, name }) => nameOrId === undefined || id === nameOrId || name === nameOrId)
            .filter(({ erasingSince }) => !withoutErased || !erasingSince);
          const from = after === undefined ? 0 : found.findIndex(({ id }) => id === after) + 1;
          const page = found.slice(from, from + limit).map((account) => create(AccountSchema, account));
          const more = found.length > from + limit;
          return create(ListAccountsResponseSchema, { accounts: page, ...(more && { nextCursor: page.at(-1)!.id }) });
        },
        ...methods,
      });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, acts, findings, stop: () => server.stop(0) };
}
