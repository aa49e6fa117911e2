-- release: 1.0.0
-- IDs and keys are COLLATE "C", so that the database and JavaScript order alike.

CREATE TABLE accounts (
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    -- Until an operator resumes it, the keys of a suspended account are refused.
    suspended_at timestamptz(3),
    erasing_since timestamptz(3),
    erased_at timestamptz(3),
    CONSTRAINT accounts_pkey PRIMARY KEY (id)
);

CREATE TABLE api_keys (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    name text,
    form_id text COLLATE "C",
    hash bytea NOT NULL,
    last_four text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    CONSTRAINT api_keys_pkey PRIMARY KEY (id),
    CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT api_keys_environment CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT api_keys_hash CHECK (octet_length(hash) = 32),
    CONSTRAINT api_keys_last_four CHECK (length(last_four) = 4),
    CONSTRAINT api_keys_scopes CHECK (cardinality(scopes) > 0)
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE UNIQUE INDEX api_keys_account_id_form_id_key ON api_keys (account_id, form_id);
-- An environment's keys, the newest first. Revoked keys are never deleted, so there can be any number.
CREATE INDEX api_keys_account_id_environment_created_at_id_idx ON api_keys (account_id, environment, created_at, id);
-- The limits below count these.
CREATE INDEX api_keys_of_forms ON api_keys (created_at) WHERE form_id IS NOT NULL;
CREATE INDEX api_keys_not_revoked ON api_keys (account_id, environment) WHERE revoked_at IS NULL;

-- Logged, so that windows survive a failover. Each key has a row, which every request changes. Room is left in each page, so that an update
-- stays in it and touches no index. Vacuum comes after a number of changes, however many keys there are, and does not pause.
CREATE TABLE rate_windows (
    key_id text COLLATE "C" NOT NULL,
    counters integer[] NOT NULL DEFAULT array_fill(0, ARRAY[61]),
    last_second bigint NOT NULL DEFAULT 0,
    last_counted_at timestamptz(6),
    CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id),
    CONSTRAINT rate_windows_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT rate_windows_counters CHECK (cardinality(counters) = 61)
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0
);

-- A later claim has a higher token, whatever its key.
CREATE SEQUENCE idempotency_token AS bigint;

-- There is no foreign key to accounts: admit has just read the account, and the check would lock its row in every creation. The table only
-- grows, and every row is changed once, soon after its insertion: by default, vacuum would wait until a fifth of it is dead.
CREATE TABLE idempotency_registry (
    account_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    fingerprint bytea NOT NULL,
    owner text NOT NULL,
    state text NOT NULL,
    token bigint NOT NULL,
    attempts integer NOT NULL,
    lease_until timestamptz(3),
    CONSTRAINT idempotency_registry_pkey PRIMARY KEY (account_id, environment, idempotency_key),
    CONSTRAINT idempotency_registry_environment CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT idempotency_registry_key CHECK (length(idempotency_key) BETWEEN 1 AND 128),
    CONSTRAINT idempotency_registry_fingerprint CHECK (octet_length(fingerprint) = 32),
    CONSTRAINT idempotency_registry_owner CHECK (owner IN ('records', 'carrier', 'webhooks')),
    CONSTRAINT idempotency_registry_state CHECK (state IN ('claimed', 'done')),
    CONSTRAINT idempotency_registry_attempts CHECK (attempts > 0),
    CONSTRAINT idempotency_registry_lease CHECK ((state = 'claimed') = (lease_until IS NOT NULL))
) WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);
-- The sweeper reads the claims that are open, and none of the millions that are done. The condition is not "state = 'claimed'": the
-- planner would then prefer this index to the primary key for statements about one claim.
CREATE INDEX idempotency_registry_lease_until_idx ON idempotency_registry (lease_until) WHERE lease_until IS NOT NULL;

-- The outbox of lines for the audit log: written in the statement of their change, read and acknowledged by the portal. A line of a member's write
-- is open at first: it has a time to look whether the write has happened, and nobody reads it before.
CREATE TABLE account_changes (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    environment text,
    subject text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    source text NOT NULL,
    check_at timestamptz(3),
    acknowledged_at timestamptz(3),
    CONSTRAINT account_changes_pkey PRIMARY KEY (id),
    CONSTRAINT account_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT account_changes_environment CHECK (environment IN ('sandbox', 'live')),
    CONSTRAINT account_changes_open CHECK (check_at IS NULL OR acknowledged_at IS NULL)
);
CREATE INDEX account_changes_account_id_at_id_idx ON account_changes (account_id, at, id);
CREATE INDEX account_changes_acknowledged_at_idx ON account_changes (acknowledged_at);
CREATE INDEX account_changes_check_at_idx ON account_changes (check_at);

-- Changes that operators make with the admin command. A row is written before the change and completed after it, so that a change whose end
-- is unknown is seen as well.
CREATE TABLE operator_acts (
    id text COLLATE "C" PRIMARY KEY,
    at timestamptz(3) NOT NULL,
    operator text NOT NULL,
    host text NOT NULL,
    command text NOT NULL,
    arguments text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('begun', 'done', 'failed')),
    reason text,
    CONSTRAINT operator_acts_reason CHECK ((outcome = 'failed') = (reason IS NOT NULL))
);
CREATE INDEX operator_acts_at_id_idx ON operator_acts (at DESC, id DESC);

-- Limits as constraints that raise for every insertion. The account's row is locked, and then counted by a statement of its own: its snapshot
-- is younger than the lock, so it sees what every insertion before has committed. The lock holds up nobody but who inserts the same: foreign
-- keys to accounts share it.

-- After the insertion, so that one that ON CONFLICT DO NOTHING leaves out is not refused. Expired keys are not active, hence no counter row.
CREATE FUNCTION limit_active_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM api_keys
        WHERE account_id = NEW.account_id AND environment = NEW.environment
            AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())) > 50 THEN
        RAISE check_violation USING CONSTRAINT = 'api_keys_active_limit',
            MESSAGE = format('%s has more than 50 active %s keys', NEW.account_id, NEW.environment);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_active_keys AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION limit_active_keys();

-- Members create keys with forms: 10 an hour for an account, and 200 for the platform, so that whoever can call the gateway as the portal
-- cannot create more. The lock makes concurrent creations count each other. Only the hour before the new key is read.
CREATE FUNCTION limit_keys_of_forms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of_account bigint;
    of_all bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('limit_keys_of_forms', 0));
    SELECT count(*) FILTER (WHERE account_id = NEW.account_id), count(*) INTO of_account, of_all
    FROM api_keys WHERE form_id IS NOT NULL AND created_at > NEW.created_at - interval '1 hour';
    IF of_account > 10 THEN
        RAISE check_violation USING CONSTRAINT = 'api_keys_account_rate',
            MESSAGE = format('members of %s have created more than 10 keys in an hour', NEW.account_id);
    ELSIF of_all > 200 THEN
        RAISE check_violation USING CONSTRAINT = 'api_keys_platform_rate', MESSAGE = 'members have created more than 200 keys in an hour';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_keys_of_forms AFTER INSERT ON api_keys FOR EACH ROW WHEN (NEW.form_id IS NOT NULL)
    EXECUTE FUNCTION limit_keys_of_forms();

-- A wrong row does no harm here, so there are no constraints and no foreign keys, whose checks would cost more than the row.
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
    more integer NOT NULL,
    -- Why a request was answered 503.
    cause text COLLATE "C"
) PARTITION BY RANGE (at);

CREATE INDEX request_log_request_id_idx ON request_log USING hash (request_id);
CREATE INDEX request_log_account_id_environment_at_idx ON request_log (account_id, environment, at) WHERE account_id IS NOT NULL;
CREATE INDEX request_log_account_id_environment_code_at_idx ON request_log (account_id, environment, code, at) WHERE code IS NOT NULL;
-- Hashes, since every entry costs each write: with the texts themselves they would be three times as large. A statement that reads them compares the texts, too.
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
) WITH (
    fillfactor = 50,
    autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000
);
CREATE INDEX request_counts_hour_idx ON request_counts (hour);

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
