-- A row per key, changed by every request: vacuum comes after a number of changes, however many keys there are, and does not pause.
ALTER TABLE rate_windows SET (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- Grows for ever, and every row is changed once, soon after its insertion. By default vacuum would wait until a fifth of it is dead.
ALTER TABLE idempotency_registry SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);
