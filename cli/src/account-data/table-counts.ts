import type { Part } from "../platform/parts.js";

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
