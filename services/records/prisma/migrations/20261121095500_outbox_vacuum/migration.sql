-- Every event is inserted, updated once or twice, and deleted a minute or two later: few rows, all of them soon dead. Vacuum comes after
-- a number of them, not after a share of the table, and does not pause.
ALTER TABLE outbox SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);
