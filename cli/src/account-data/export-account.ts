import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fail } from "@shipping/kit/errors";
import type { ExportedRow, ExportPage } from "@shipping/kit/service/account-data";
import type { Account } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { onOwner } from "../platform/call-parts.js";
import { deployedParts, type Platform } from "../platform/find-platform.js";
import { type Part, parts } from "../platform/parts.js";
import type { Progress } from "../tools/admin-command.js";
import { toJson } from "../tools/print.js";
import { countRows, type TableCount } from "./table-counts.js";

/** Writes all data of an account, part by part. The manifest comes last: without it, an export is incomplete. */
export async function exportAccount(
  platform: Platform,
  { id, name, createdAt, suspendedAt }: Account,
  writer: ExportWriter,
  progress: Progress,
) {
  const exportedAt = new Date();
  const tables: TableCount[] = [];
  let files = 0;
  const exported = deployedParts(platform);
  for (const part of exported) {
    await onOwner(platform, part, async (owner) => {
      let cursor: string | undefined;
      do {
        const page = await owner.exportAccount({ accountId: id, ...(cursor && { cursor }) });
        await writer.page(part, page);
        countRows(tables, { part, table: page.table, rows: page.rows.length });
        progress(tables.at(-1)!);
        files += page.rows.filter(({ fileName }) => fileName).length;
        cursor = page.nextCursor;
      } while (cursor);
    });
  }
  const without = parts.filter((part) => !exported.includes(part));
  const manifest = {
    account: { id, name, createdAt, suspendedAt },
    exportedAt,
    tables,
    files,
    ...(without.length > 0 && { without }),
  };
  await writer.end(manifest);
  return manifest;
}

export interface ExportWriter {
  page(part: Part, page: ExportPage): Promise<void>;
  end(manifest: object): Promise<void>;
}

// The files are private, because an export contains names and postal addresses.
const OWNER_ONLY = { mode: 0o600 };

/**
 * Opens the output of an export: a file if the name ends in `.ndjson`, standard output for `-`, otherwise a folder. Existing files are not
 * overwritten.
 */
export async function openExport(out: string, write: (text: string) => void): Promise<ExportWriter> {
  if (out === "-") return openStream(async (text) => write(text));
  if (!out.endsWith(".ndjson")) return openFolder(out);
  await writeFile(out, "", { ...OWNER_ONLY, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? fail("invalid_request", `${out} exists. Choose another file.`) : error;
  });
  return openStream((text) => appendFile(out, text));
}

/** Writes one line per row with its part and table, files in Base64; the last line is the manifest. */
function openStream(append: (text: string) => Promise<void>): ExportWriter {
  const toLine = (part: Part, table: string, { json, fileName, file }: ExportedRow) => {
    const attached = fileName
      ? `,"file_name":${JSON.stringify(fileName)},"file_base64":"${Buffer.from(file!).toString("base64")}"`
      : "";
    return `{"part":"${part}","table":"${table}","row":${json}${attached}}\n`;
  };
  return {
    page: (part, { table, rows }) => append(rows.map((row) => toLine(part, table, row)).join("")),
    end: (manifest) => append(`{"manifest":${toJson(manifest)}}\n`),
  };
}

/** Writes a folder per part with one NDJSON file per table, and its files in a folder beside it. */
async function openFolder(folder: string): Promise<ExportWriter> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0)
    throw fail("invalid_request", `${folder} is not empty. Choose another folder.`);
  return {
    async page(part, { table, rows }) {
      if (rows.length === 0) return;
      await mkdir(join(folder, part), { recursive: true, mode: 0o700 });
      const lines = rows.map(({ json, fileName }) =>
        fileName ? `${json.slice(0, -1)},"file":${JSON.stringify(join(table, basename(fileName)))}}\n` : `${json}\n`,
      );
      await appendFile(join(folder, part, `${table}.ndjson`), lines.join(""), OWNER_ONLY);
      const files = rows.filter((row) => row.file && row.fileName);
      if (files.length === 0) return;
      await mkdir(join(folder, part, table), { recursive: true, mode: 0o700 });
      await Promise.all(
        files.map(({ file, fileName }) => writeFile(join(folder, part, table, basename(fileName!)), file!, OWNER_ONLY)),
      );
    },
    end: (manifest) => writeFile(join(folder, "manifest.json"), `${toJson(manifest)}\n`, OWNER_ONLY),
  };
}
