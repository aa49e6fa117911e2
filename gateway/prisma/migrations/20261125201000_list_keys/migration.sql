-- concurrently: an environment's keys, the newest first. Revoked keys are never deleted, so there can be any number.
CREATE INDEX CONCURRENTLY IF NOT EXISTS api_keys_account_id_environment_created_at_id_idx ON api_keys (account_id, environment, created_at, id);
