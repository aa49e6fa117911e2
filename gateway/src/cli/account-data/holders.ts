import {
  countInFlight,
  type ErasedBatch,
  type ExportPage,
  eraseBatch,
  exportPage,
} from "@shipping/kit/service/account-data";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { gatewayAccountData } from "../../database/account-data.js";
import type { AdminDeps } from "../../database/deps.js";
import { CALL_MS, callService } from "../platform/call-service.js";
import type { Part, Platform } from "../platform/find-platform.js";

/** A part that holds data of an account. */
export interface Holder {
  countInFlight(): Promise<number>;
  exportPage(cursor?: string): Promise<ExportPage>;
  eraseBatch(cursor?: string): Promise<ErasedBatch>;
}

/** Where the data of an account is. */
export interface Located {
  platform: Platform;
  deps: AdminDeps;
  accountId: string;
}

/** Works on one part's data of an account: the gateway's own tables, or those of a service through its RPCs. */
export function onHolder<T>(located: Located, part: Part, work: (holder: Holder) => Promise<T>): Promise<T> {
  const { platform, deps, accountId } = located;
  if (part === "gateway") {
    return work({
      countInFlight: () => countInFlight(deps.db, gatewayAccountData, accountId),
      exportPage: (cursor) => exportPage(deps.db, gatewayAccountData, { accountId, cursor }),
      eraseBatch: (cursor) => eraseBatch(deps.db, gatewayAccountData, { accountId, cursor }),
    });
  }
  const options = { timeoutMs: CALL_MS };
  const named = (cursor?: string) => ({ accountId, ...(cursor && { cursor }) });
  return callService(platform, part, OwnerOperationsService, (owner) =>
    work({
      countInFlight: async () => Number((await owner.countInFlight({ accountId }, options)).count),
      exportPage: (cursor) => owner.exportAccount(named(cursor), options),
      async eraseBatch(cursor) {
        const { rows, ...batch } = await owner.eraseAccount(named(cursor), options);
        return { ...batch, rows: Number(rows) };
      },
    }),
  );
}

/** How many rows of a table were exported or erased. */
export interface TableCount {
  part: Part;
  table: string;
  rows: number;
}

/** Adds up rows by part and table, in the order in which they came. */
export function countRows(counts: TableCount[], { part, table, rows }: TableCount): void {
  const known = counts.find((one) => one.part === part && one.table === table);
  if (known) known.rows += rows;
  else counts.push({ part, table, rows });
}
