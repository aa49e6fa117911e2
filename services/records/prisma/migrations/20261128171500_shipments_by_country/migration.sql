-- release: 1.1.0
-- concurrently
-- An environment's list in the developer area of one country, in each state, as `shipments_by_state` has that of all countries.
CREATE INDEX CONCURRENTLY IF NOT EXISTS shipments_by_country
  ON shipments ((hashtextextended(account_id || environment, 0)), status, (recipient->>'country'), created_at);
