import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

/** The engine's `filters`, which select all tables. */
export const NOTHING_EXTERNAL = { externalTables: [], externalEnums: [] };

/**
 * Runs `work` with Prisma's schema engine on one connection to a database: for the SQL between two schemas, and for tests of what Prisma's
 * CLI would see. It is not needed at run time. It is the WebAssembly build: the native one, which `prisma migrate` runs, is a download,
 * which is impossible where only a package registry is reachable.
 */
export async function withSchemaEngine<T>(
  url: string,
  work: (engine: bindings.SchemaEngine) => Promise<T>,
): Promise<T> {
  await loaded();
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5_000 });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new CatalogPg(pool));
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
    return await work(engine).finally(() => engine.free());
  } finally {
    await pool.end();
  }
}

/** Returns the migrations of `directory/migrations`, as the engine takes them. */
export async function migrationList(directory: string): Promise<bindings.MigrationList> {
  const baseDir = join(directory, "migrations");
  const entries = await readdir(baseDir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = names.sort().map(async (name) => {
    const value = await readFile(join(baseDir, name, "migration.sql"), "utf8");
    return { path: name, migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value } } };
  });
  return {
    baseDir,
    lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"' },
    shadowDbInitScript: "",
    migrationDirectories: await Promise.all(migrationDirectories),
  };
}

/** Reads the type `"char"` of PostgreSQL's catalogs as a character, as the engine needs it; `@prisma/adapter-pg` (7.10) refuses the type. */
class CatalogPg extends PrismaPg {
  private readonly charColumns = new WeakMap<object, number[]>();

  constructor(pool: pg.Pool) {
    const query: (config: pg.QueryConfig) => Promise<pg.QueryResult> = pool.query.bind(pool);
    super(Object.assign(pool, { query: async (config: pg.QueryConfig) => this.charsAsText(await query(config)) }));
  }

  override async connect(): ReturnType<PrismaPg["connect"]> {
    const adapter = await super.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const column of this.charColumns.get(result.rows) ?? [])
        result.columnTypes[column] = ColumnTypeEnum.Character;
      return result;
    };
    return adapter;
  }

  private charsAsText(result: pg.QueryResult): pg.QueryResult {
    const { CHAR, TEXT } = pg.types.builtins;
    const chars = (result.fields ?? []).flatMap((field, column) =>
      field.dataTypeID === CHAR ? [{ field, column }] : [],
    );
    for (const { field } of chars) field.dataTypeID = TEXT;
    if (chars.length > 0)
      this.charColumns.set(
        result.rows,
        chars.map(({ column }) => column),
      );
    return result;
  }
}

// This is declared neither by TypeScript's `es2023` nor by this version of Node's types.
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>;
};

let loading: Promise<void> | undefined;

function loaded(): Promise<void> {
  loading ??= instantiate();
  return loading;
}

// The package's own entry imports the `.wasm` file as a module, which bundlers can do and Node cannot.
async function instantiate(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm");
  const wasm = await readFile(join(dirname(entry), "schema_engine_bg.wasm"));
  const { instance } = await WebAssembly.instantiate(wasm, { "./schema_engine_bg.js": imports() });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
}

// The engine never clears the timer of its 10 s limit for taking a lock, which would keep a finished process alive.
function imports(): Record<string, unknown> {
  const timer = Object.keys(bindings).find((name) => name.startsWith("__wbg_setTimeout_"));
  if (!timer) throw new Error("@prisma/schema-engine-wasm has changed: it no longer imports setTimeout.");
  return { ...bindings, [timer]: (run: () => void, delayMs: number) => setTimeout(run, delayMs).unref() };
}
