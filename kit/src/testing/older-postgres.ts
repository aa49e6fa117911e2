import type { TestDatabase } from "./database.js";

/** Makes a test's database report another server version to its next connections. */
export async function pretendVersion({ db, url }: TestDatabase, version: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await db.pool.query(`
    CREATE SCHEMA pretended;
    CREATE FUNCTION pretended.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT '${version}' $$;
    ALTER DATABASE ${name} SET search_path = pretended, pg_catalog, public`);
}
