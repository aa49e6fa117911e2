-- The id of the key that sealed these bytes: the length of the id, the id, and the rest.
CREATE FUNCTION sealed_with(sealed bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN convert_from(substring(sealed FROM 2 FOR get_byte(sealed, 0)), 'UTF8');

-- What a rotation looks for. Equal entries share their place, so these cost a few bytes per row.
CREATE INDEX subscriptions_sealed_with ON subscriptions (sealed_with(secret));
CREATE INDEX ledger_sealed_with ON ledger (sealed_with(body)) WHERE kind = 'result';

-- Events go in the order in which they came, and with each its deliveries: those are now found by their event. Nothing looks for the
-- deliveries of a subscription but the pending and the claimed ones, which have indexes of their own.
CREATE INDEX events_received_at ON events (received_at);
ALTER TABLE deliveries DROP CONSTRAINT deliveries_pkey, ADD PRIMARY KEY (event_id, subscription_id);

-- A delivery is updated once or twice, soon after its insertion, and then rests for the retention. By default vacuum would wait until
-- a fifth of a month's rows is dead, and the indexes of what is pending and claimed would fill with dead entries.
ALTER TABLE deliveries SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);

-- A row per subscription, changed with every delivery: vacuum comes after a number of changes, and does not pause.
ALTER TABLE ready_queue SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);
