import type { Routes } from "@shipping/kit/rpc/server";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { accessRoutes } from "./access/routes.js";
import type { ApiDeps } from "./api/deps.js";
import { type OperatorDeps, operatorRoutes } from "./operators/routes.js";

/** The methods of the gateway that each part, and the operator, may call. */
export const gatewayPeers: Peers = {
  portal: AccessService.methods,
  operator: [...AccountsService.methods, ...OwnerOperationsService.methods],
};

/** The routes of the gateway's RPCs: those for the portal, and those for operators. */
export function gatewayRoutes(deps: Parameters<typeof accessRoutes>[0] & OperatorDeps, api: ApiDeps): Routes {
  const all = [accessRoutes(deps, api), operatorRoutes(deps)];
  return (router) => {
    for (const routes of all) routes(router);
  };
}
