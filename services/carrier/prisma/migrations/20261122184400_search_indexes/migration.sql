-- concurrently: the migration after this one names the same indexes, and finds them built. On large tables it would hold up every write.
CREATE INDEX CONCURRENTLY IF NOT EXISTS labels_by_state ON labels ((hashtextextended(account_id || environment, 0)), status, created_at);
