-- concurrently: the migration after this one names the same indexes, and finds them built. On large tables it would hold up every write.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_by_state ON orders ((hashtextextended(account_id || environment, 0)), status, created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_state ON shipments ((hashtextextended(account_id || environment, 0)), status, created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_order ON shipments (account_id, environment, order_id, created_at)
  WHERE order_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_by_reference
  ON orders ((hashtextextended(account_id || environment, 0)), lower(reference COLLATE "C"));
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_by_recipient
  ON orders ((hashtextextended(account_id || environment, 0)), lower((recipient ->> 'name') COLLATE "C"));
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_by_postal_code
  ON orders ((hashtextextended(account_id || environment, 0)), lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C"));
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_reference
  ON shipments ((hashtextextended(account_id || environment, 0)), lower(reference COLLATE "C"));
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_recipient
  ON shipments ((hashtextextended(account_id || environment, 0)), lower((recipient ->> 'name') COLLATE "C"));
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_postal_code
  ON shipments ((hashtextextended(account_id || environment, 0)), lower(replace(recipient ->> 'postal_code', ' ', '') COLLATE "C"));
