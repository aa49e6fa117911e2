-- The event of a row, the request that made it, and who asked; null in rows of before.
ALTER TABLE orders ADD COLUMN origin text;
ALTER TABLE shipments ADD COLUMN origin text;

-- What people look for, in the developer area; each as narrow as it can be, since every creation pays for it. On large tables, make them
-- by hand before the release, with CREATE INDEX CONCURRENTLY.
-- They begin with a hash of the owner, which only searches name: any other statement has to use the primary key.
-- An environment's list, the newest first, of one state or, merged, of all.
CREATE INDEX IF NOT EXISTS orders_by_state ON orders ((hashtextextended(account_id || environment, 0)), status, created_at);
CREATE INDEX IF NOT EXISTS shipments_by_state ON shipments ((hashtextextended(account_id || environment, 0)), status, created_at);
CREATE INDEX IF NOT EXISTS shipments_by_order ON shipments (account_id, environment, order_id, created_at)
  WHERE order_id IS NOT NULL;

-- Beginnings of a text, whose capitals of A to Z are small: `lower` in "C" is the same on every server.
CREATE INDEX IF NOT EXISTS orders_by_reference
  ON orders ((hashtextextended(account_id || environment, 0)), lower(reference COLLATE "C"));
CREATE INDEX IF NOT EXISTS orders_by_recipient
  ON orders ((hashtextextended(account_id || environment, 0)), lower((recipient ->> 'name') COLLATE "C"));
CREATE INDEX IF NOT EXISTS orders_by_postal_code
  ON orders ((hashtextextended(account_id || environment, 0)), lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C"));
CREATE INDEX IF NOT EXISTS shipments_by_reference
  ON shipments ((hashtextextended(account_id || environment, 0)), lower(reference COLLATE "C"));
CREATE INDEX IF NOT EXISTS shipments_by_recipient
  ON shipments ((hashtextextended(account_id || environment, 0)), lower((recipient ->> 'name') COLLATE "C"));
CREATE INDEX IF NOT EXISTS shipments_by_postal_code
  ON shipments ((hashtextextended(account_id || environment, 0)), lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C"));
