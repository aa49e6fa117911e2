import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fail } from "@shipping/kit/errors";
import type { ExportedRow, ExportPage } from "@shipping/kit/service/account-data";
import type { Part } from "../platform/find-platform.js";
import { toJson } from "../tools/print.js";

/** Takes an export as it comes. */
export interface ExportWriter {
  page(part: Part, page: ExportPage): Promise<void>;
  end(manifest: object): Promise<void>;
}

// Addresses and names of people are in it.
const OWNER_ONLY = { mode: 0o600 };

/** Opens where an export goes: a file that ends in `.ndjson`, standard output for `-`, otherwise a folder. Nothing is overwritten. */
export async function openExport(out: string, write: (text: string) => void): Promise<ExportWriter> {
  if (out === "-") return streamOf(async (text) => write(text));
  if (!out.endsWith(".ndjson")) return openFolder(out);
  await writeFile(out, "", { ...OWNER_ONLY, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? fail("invalid_request", `${out} exists. Choose another file.`) : error;
  });
  return streamOf((text) => appendFile(out, text));
}

/** One line per row with its part and table, files as Base64, and the manifest as the last line. */
function streamOf(append: (text: string) => Promise<void>): ExportWriter {
  const lineOf = (part: Part, table: string, { json, fileName, file }: ExportedRow) => {
    const attached = fileName
      ? `,"file_name":${JSON.stringify(fileName)},"file_base64":"${Buffer.from(file!).toString("base64")}"`
      : "";
    return `{"part":"${part}","table":"${table}","row":${json}${attached}}\n`;
  };
  return {
    page: (part, { table, rows }) => append(rows.map((row) => lineOf(part, table, row)).join("")),
    end: (manifest) => append(`{"manifest":${toJson(manifest)}}\n`),
  };
}

/** A folder per part, in it a file of lines per table, and a folder of files beside it. */
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
