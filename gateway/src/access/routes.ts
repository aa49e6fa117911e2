import type { Routes } from "@shipping/kit/rpc/server";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import type { ApiDeps } from "../api/deps.js";
import { acknowledgeChanges, listChanges } from "./account-changes.js";
import { createKey, measureNewKeys } from "./create-key.js";
import type { AccessDeps } from "./deps.js";
import { executeWriteForMember } from "./execute-write-for-member.js";
import { createTurns } from "./in-turn.js";
import { listKeyUsage } from "./list-key-usage.js";
import { getAccount, listAccounts } from "./read-account.js";
import { findKeys, getKey, listKeys, nameKeys } from "./read-keys.js";
import {
  countKeyRequests,
  countRequests,
  findRequests,
  getRequest,
  listRequests,
  listSlowestWrites,
} from "./read-requests.js";
import { revokeKey } from "./revoke-key.js";

/** The routes of the RPCs that the gateway offers to the portal. Each is one operation, in its turn, on the connections for lists. */
export function accessRoutes(given: AccessDeps & Parameters<typeof measureNewKeys>[0], api: ApiDeps): Routes {
  // The API's requests keep all of their connections, whatever the portal asks for.
  const deps = { ...given, db: { ...given.db, run: given.db.runList } };
  const inTurn = createTurns(given.callPace);
  const keyDeps = { ...deps, countNewKey: measureNewKeys(given) };
  return (router) => {
    router.service(AccessService, {
      createKey: inTurn((request) => createKey(keyDeps, request)),
      revokeKey: inTurn((request) => revokeKey(deps, request)),
      getKey: inTurn((request) => getKey(deps, request)),
      listKeys: inTurn((request) => listKeys(deps, request)),
      findKeys: inTurn((request) => findKeys(deps, request)),
      nameKeys: inTurn((request) => nameKeys(deps, request)),
      listKeyUsage: inTurn((request) => listKeyUsage(deps, request)),
      listRequests: inTurn((request) => listRequests(deps, request)),
      findRequests: inTurn((request) => findRequests(deps, request)),
      getRequest: inTurn((request) => getRequest(deps, request)),
      countRequests: inTurn((request) => countRequests(deps, request)),
      countKeyRequests: inTurn((request) => countKeyRequests(deps, request)),
      listSlowestWrites: inTurn((request) => listSlowestWrites(deps, request)),
      getAccount: inTurn((request) => getAccount(deps, request)),
      listAccounts: inTurn((request) => listAccounts(deps, request)),
      executeWrite: inTurn((request, context) => executeWriteForMember(api, request, context)),
      listChanges: inTurn((request) => listChanges(deps, request)),
      acknowledgeChanges: inTurn((request) => acknowledgeChanges(deps, request)),
    });
  };
}
