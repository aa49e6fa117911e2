import { contracts } from "./contractions.js";

test.each([
  "DROP FUNCTION f(text);",
  "DROP INDEX t_a;",
  "DROP TRIGGER keep_a ON t;",
  "DROP SEQUENCE s;",
  "DO $$ BEGIN DROP TABLE t; END $$;",
  "ALTER TABLE t RENAME a TO b;",
  "ALTER TABLE t DROP a;",
  "ALTER TABLE t DROP COLUMN IF EXISTS a;",
  "ALTER TABLE t DROP CONSTRAINT t_a_fkey;",
  "ALTER TABLE t ALTER COLUMN a DROP DEFAULT;",
  "ALTER TABLE t ALTER COLUMN a SET NOT NULL;",
  "ALTER TABLE t ALTER a TYPE bigint;",
  "ALTER TABLE t ALTER COLUMN a\n  SET DATA TYPE bigint;",
  "ALTER TABLE t ADD COLUMN a text NOT NULL;",
  "ALTER TABLE t ADD a text NOT NULL;",
  "ALTER TABLE t ADD IF NOT EXISTS a numeric(3, 1) NOT NULL;",
  "ALTER TABLE t ADD COLUMN a integer DEFAULT 0, ADD COLUMN b text NOT NULL;",
  "ALTER TABLE t ADD CHECK (a > 0);",
  "ALTER TABLE t ADD CONSTRAINT t_a CHECK (a > 0) NOT VALID;",
  "ALTER TABLE t ADD UNIQUE (a);",
  "ALTER TABLE t ADD PRIMARY KEY (a);",
  "CREATE UNIQUE INDEX t_a ON t (a);",
  "-- concurrently\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS t_a ON t (lower(a));",
  "CREATE TRIGGER keep_a BEFORE UPDATE OF a ON t FOR EACH ROW EXECUTE FUNCTION f();",
])("contracts: %j", (text) => {
  expect(contracts(text)).toBe(true);
  expect(contracts(`-- release: 1.2.0\n-- contracts: needs 1.1.0\n${text}`)).toBe(false);
});

test.each([
  "ALTER TABLE t ADD COLUMN a integer NOT NULL DEFAULT 0, ADD COLUMN b text;",
  "ALTER TABLE t ADD a numeric(3, 1) NOT NULL DEFAULT round(0.1, 1);",
  "ALTER TABLE t ADD COLUMN a text CHECK (a IS NOT NULL OR b IS NOT NULL);",
  "ALTER TABLE t ADD COLUMN a bigint NOT NULL GENERATED ALWAYS AS IDENTITY;",
  "ALTER TABLE t ALTER COLUMN a DROP NOT NULL;",
  "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (b, a);",
  "CREATE INDEX t_a ON t (a); -- DROP TABLE t",
  "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE t $$ LANGUAGE sql;",
  "CREATE TABLE t (a text UNIQUE); CREATE UNIQUE INDEX t_b ON t (b);",
  "CREATE TABLE t (a text); CREATE TRIGGER keep_a AFTER DELETE ON t FOR EACH ROW EXECUTE FUNCTION f();",
  "ALTER TABLE t ADD COLUMN a text; CREATE UNIQUE INDEX t_b_a ON t (b, a);",
])("expands: %j", (text) => {
  expect(contracts(text)).toBe(false);
});
