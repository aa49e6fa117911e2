import { createClient } from "@connectrpc/connect";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { operatorRoutes } from "../operators/routes.js";
import { gatewayDatabase } from "./gateway-database.js";

/** Serves the gateway's RPCs for operators on a database of their own. */
export async function operatorsUnderTest() {
  const database = await gatewayDatabase();
  const log = silentLog();
  const deps = { ...database.admin, log, clockOffsetMs: 0, requestLogDays: 7 };
  const routes = operatorRoutes(deps);
  const accounts = createClient(AccountsService, inProcess(routes, log));

  /** Begins an act, and returns the options of the calls that belong to it. */
  async function begin(command = "account create") {
    const id = newId("act", database.admin.random);
    await accounts.beginAct({ act: { id, operator: "ada", host: "desk", command, arguments: "" } });
    return { id, headers: { "x-act-id": id } };
  }

  return {
    ...database,
    routes,
    accounts,
    begin,
    /** The rows of the operator log. */
    acts: () => rowsIn(database.db, "operator_acts"),
    countAccounts: (name: string) => countIn(database.db, "accounts", { name }),
  };
}

/** The statement that holds up the creation of accounts until its transaction ends. */
export const LOCK_ACCOUNTS = "LOCK TABLE accounts IN EXCLUSIVE MODE";
