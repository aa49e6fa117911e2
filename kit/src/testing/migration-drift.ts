import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { migrate } from "../postgres/migrate.js";
import { NOTHING_EXTERNAL, withSchemaEngine } from "./schema-engine.js";

/** The SQL that is missing between the migrations and `schema.prisma`, "" if none. `url` names an empty database to work in. */
export async function migrationDrift(options: { url: string; directory: string }): Promise<string> {
  await migrate(options);
  const path = join(options.directory, "schema.prisma");
  const files = [{ path, content: await readFile(path, "utf8") }];
  const { exitCode, stdout } = await withSchemaEngine(options.url, (engine) =>
    engine.diff({
      from: { tag: "schemaDatasource", configDir: options.directory, files },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: true,
      filters: NOTHING_EXTERNAL,
    }),
  );
  return exitCode === DIFFERENT ? (stdout ?? "") : "";
}

const DIFFERENT = 2;
