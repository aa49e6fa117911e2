import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

export type { MigrationList } from "@prisma/schema-engine-wasm/schema_engine_bg";

/**
 * Runs `work` with Prisma's schema engine on one connection to a database. It is the WebAssembly build: the native one, which
 * `prisma migrate` runs, is a download, and cannot be had where only a package registry is reachable.
 */
export async function withSchemaEngine<T>(
  url: string,
  work: (engine: bindings.SchemaEngine) => Promise<T>,
): Promise<T> {
  await loaded();
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 5_000 });
  try {
    const adapter = bindMigrationAwareSqlAdapterFactory(new MigratingPg(pool));
    const engine = await bindings.SchemaEngine.new({ datamodels: undefined }, () => {}, adapter);
    return await work(engine).finally(() => engine.free());
  } finally {
    await pool.end();
  }
}

/**
 * `@prisma/adapter-pg` (7.10) with two repairs. It cuts a script at every semicolon, those inside function bodies included: here the
 * script is sent whole. And it refuses the type `"char"` of PostgreSQL's catalogs, which the engine needs to know as a character.
 */
class MigratingPg extends PrismaPg {
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
    adapter.executeScript = async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
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

// Neither TypeScript's `es2023` nor Node's types of this version know it.
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

// The engine never clears the timer of its 10 s limit on taking a lock; it would keep a process alive that has nothing left to do.
function imports(): Record<string, unknown> {
  const timer = Object.keys(bindings).find((name) => name.startsWith("__wbg_setTimeout_"));
  if (!timer) throw new Error("@prisma/schema-engine-wasm has changed: it no longer imports setTimeout.");
  return { ...bindings, [timer]: (run: () => void, delayMs: number) => setTimeout(run, delayMs).unref() };
}
