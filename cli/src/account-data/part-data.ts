import type { ErasedBatch, ExportPage } from "@shipping/kit/service/account-data";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { callPart } from "../platform/call-parts.js";
import type { Platform } from "../platform/find-platform.js";
import type { Part } from "../platform/parts.js";

export interface PartData {
  countInFlight(): Promise<number>;
  exportPage(cursor?: string): Promise<ExportPage>;
  eraseBatch(cursor?: string): Promise<ErasedBatch>;
}

/** The account to export or erase, and how to reach its data. */
export interface Target {
  platform: Platform;
  accountId: string;
}

/** Works on one part's data of an account. */
export function onPartData<T>(
  { platform, accountId }: Target,
  part: Part,
  work: (data: PartData) => Promise<T>,
): Promise<T> {
  const request = (cursor?: string) => ({ accountId, ...(cursor && { cursor }) });
  return callPart(platform, part, OwnerOperationsService, (owner) =>
    work({
      countInFlight: async () => Number((await owner.countInFlight({ accountId })).count),
      exportPage: (cursor) => owner.exportAccount(request(cursor)),
      async eraseBatch(cursor) {
        const { rows, ...batch } = await owner.eraseAccount(request(cursor));
        return { ...batch, rows: Number(rows) };
      },
    }),
  );
}

export interface TableCount {
  part: Part;
  table: string;
  rows: number;
}

export function countRows(counts: TableCount[], { part, table, rows }: TableCount): void {
  const known = counts.find((one) => one.part === part && one.table === table);
  if (known) known.rows += rows;
  else counts.push({ part, table, rows });
}
