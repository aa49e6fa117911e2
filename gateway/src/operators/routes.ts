import type { HandlerContext } from "@connectrpc/connect";
import type { PublicDeps } from "@shipping/kit/http/settings";
import type { Routes } from "@shipping/kit/rpc/server";
import { ownerOperationsRoutes } from "@shipping/kit/service/owner-operations";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { createTurns } from "../access/in-turn.js";
import { countResources, gatewayAccountData } from "../database/account-data.js";
import { type GatewayDeps, gatewayMigrations } from "../database/deps.js";
import { beginErasing, createAccount, endErasing, listAccounts, setSuspended } from "./accounts.js";
import { beginAct, endAct, listActs, requireAct } from "./acts.js";
import { checkClientAddresses } from "./check-addresses.js";
import { createKey, listKeys, revokeKey } from "./keys.js";
import { countWaitingChanges, getClaim, getRequest, listRequests } from "./look-up.js";

export type OperatorDeps = GatewayDeps & { requestLogDays: number } & Partial<
    Pick<PublicDeps, "publicUrl" | "trustedProxies">
  >;

/** The routes of the RPCs for operators. Each is one operation, in its turn, on the connections for lists, as those for the portal. */
export function operatorRoutes(given: OperatorDeps): Routes {
  const deps = { ...given, db: { ...given.db, run: given.db.runList } };
  // The portal's calls have other turns, so operators get through whatever the portal does.
  const inTurn = createTurns();
  /** Wraps an operation that changes something: it belongs to an act in the operator log. */
  const inAct = <Request extends object, Response>(operation: (request: Request, act: string) => Promise<Response>) =>
    inTurn(async (request: Request, context: HandlerContext) => operation(request, await requireAct(deps, context)));
  return (router) => {
    ownerOperationsRoutes(router, {
      db: deps.db,
      countResources,
      accountData: gatewayAccountData,
      migrations: gatewayMigrations,
      checks: checkClientAddresses(given),
    });
    router.service(AccountsService, {
      beginAct: inTurn((request) => beginAct(deps, request)),
      endAct: inTurn((request) => endAct(deps, request)),
      listActs: inTurn((request) => listActs(deps, request)),
      listAccounts: inTurn((request) => listAccounts(deps, request)),
      createAccount: inAct((request, act) => createAccount(deps, request, act)),
      setSuspended: inAct((request) => setSuspended(deps, request)),
      beginErasing: inAct((request) => beginErasing(deps, request)),
      endErasing: inAct((request) => endErasing(deps, request)),
      createKey: inAct((request, act) => createKey(deps, request, act)),
      listKeys: inTurn((request) => listKeys(deps, request)),
      revokeKey: inAct((request) => revokeKey(deps, request)),
      listRequests: inTurn((request) => listRequests(deps, request)),
      getRequest: inTurn((request) => getRequest(deps, request)),
      getClaim: inTurn((request) => getClaim(deps, request)),
      countWaitingChanges: inTurn(() => countWaitingChanges(deps)),
    });
  };
}
