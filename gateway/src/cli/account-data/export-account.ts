import type { Part } from "../platform/find-platform.js";
import type { Progress } from "../tools/tools.js";
import { countRows, type Located, onHolder, type TableCount } from "./holders.js";
import type { ExportWriter } from "./write-export.js";

const PARTS: readonly Part[] = ["gateway", "records", "carrier", "tracking", "webhooks"];

/** The manifest of an export. */
export interface Manifest {
  account: { id: string; name: string; createdAt: Date; suspendedAt: Date | null };
  exportedAt: Date;
  tables: TableCount[];
  files: number;
}

/** Writes everything that is stored of an account, part by part, and the manifest last: an export without one is not complete. */
export async function exportAccount(located: Located, writer: ExportWriter, progress: Progress): Promise<Manifest> {
  const { deps, accountId } = located;
  const { id, name, createdAt, suspendedAt } = await deps.prisma.account.findUniqueOrThrow({
    where: { id: accountId },
  });
  const exportedAt = deps.now();
  const tables: TableCount[] = [];
  let files = 0;
  for (const part of PARTS) {
    await onHolder(located, part, async (holder) => {
      let cursor: string | undefined;
      do {
        const page = await holder.exportPage(cursor);
        await writer.page(part, page);
        countRows(tables, { part, table: page.table, rows: page.rows.length });
        progress(tables.at(-1)!);
        files += page.rows.filter(({ fileName }) => fileName).length;
        cursor = page.nextCursor;
      } while (cursor);
    });
  }
  const manifest = { account: { id, name, createdAt, suspendedAt }, exportedAt, tables, files };
  await writer.end(manifest);
  return manifest;
}
