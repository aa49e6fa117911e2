-- What is wrong with a row here harms nobody: no constraints, and no foreign keys, whose checks would cost more than the row.
CREATE TABLE request_log (
    at timestamptz(6) NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C",
    environment text,
    key_id text COLLATE "C",
    method text NOT NULL,
    path text NOT NULL,
    status smallint,
    code text COLLATE "C",
    fields text,
    ms real NOT NULL,
    idempotency_key text COLLATE "C",
    replayed boolean NOT NULL,
    resource_id text COLLATE "C",
    source text NOT NULL,
    user_agent text NOT NULL,
    more integer NOT NULL
) PARTITION BY RANGE (at);

CREATE INDEX request_log_request_id_idx ON request_log USING hash (request_id);
CREATE INDEX request_log_account_id_environment_at_idx ON request_log (account_id, environment, at) WHERE account_id IS NOT NULL;
CREATE INDEX request_log_account_id_environment_code_at_idx ON request_log (account_id, environment, code, at) WHERE code IS NOT NULL;
-- Hashes, since every entry costs each write: with the texts themselves they would be three times as large. Who reads compares the texts, too.
CREATE INDEX request_log_key_id ON request_log (hashtextextended(key_id, 0), at) WHERE key_id IS NOT NULL;
CREATE INDEX request_log_idempotency_key ON request_log
  (hashtextextended(account_id || environment || idempotency_key, 0), at) WHERE idempotency_key IS NOT NULL;
CREATE INDEX request_log_resource_id ON request_log
  (hashtextextended(account_id || environment || resource_id, 0), at) WHERE resource_id IS NOT NULL;

-- Room is left in each page, so that counting stays in it and touches no index.
CREATE TABLE request_counts (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    hour timestamptz(0) NOT NULL,
    outcome text COLLATE "C" NOT NULL,
    count integer NOT NULL,
    CONSTRAINT request_counts_pkey PRIMARY KEY (account_id, environment, hour, outcome)
) WITH (fillfactor = 50);
CREATE INDEX request_counts_hour_idx ON request_counts (hour);

ALTER TABLE request_counts SET (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000
);

-- Makes the partitions of yesterday to the day after tomorrow, and drops those that ended `days` ago; says how many of each. It runs as
-- whoever owns the table, which may be the role of migrations. Processes that come at the same time wait for each other. A new partition is
-- attached, since creating it in place would lock readers and writers out; a drop does, so it waits half a second for them at most, and
-- otherwise leaves the partition to the next run.
CREATE FUNCTION keep_request_log(today timestamptz, days integer, OUT made integer, OUT dropped integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  first_day date := (today AT TIME ZONE 'UTC')::date - 1;
  day date;
  name text;
BEGIN
  made := 0;
  dropped := 0;
  SET LOCAL lock_timeout = '4s';
  PERFORM pg_advisory_xact_lock(2027130455);
  SET LOCAL lock_timeout = '500ms';
  FOR day IN SELECT first_day + n FROM generate_series(0, CASE WHEN days > 0 THEN 3 ELSE -1 END) AS n LOOP
    name := 'request_log_' || to_char(day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE request_log INCLUDING ALL)', name);
    EXECUTE format('ALTER TABLE request_log ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
      name, day::timestamp AT TIME ZONE 'UTC', (day + 1)::timestamp AT TIME ZONE 'UTC');
    made := made + 1;
  END LOOP;
  FOR name, day IN
    SELECT relname, to_date(right(relname, 8), 'YYYYMMDD') FROM pg_inherits JOIN pg_class ON oid = inhrelid
    WHERE inhparent = 'request_log'::regclass
  LOOP
    CONTINUE WHEN (day + 1)::timestamp AT TIME ZONE 'UTC' > today - days * interval '1 day';
    BEGIN
      EXECUTE format('DROP TABLE %I', name);
      dropped := dropped + 1;
    EXCEPTION WHEN lock_not_available THEN
      RAISE NOTICE '% is in use', name;
    END;
  END LOOP;
END
$$;
