-- Ids and keys are COLLATE "C", so that the database and JavaScript order alike.

CREATE TABLE accounts (
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    created_at timestamptz(3) NOT NULL,
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
-- What the limit below counts; revoked keys may grow in number without end.
CREATE INDEX api_keys_not_revoked ON api_keys (account_id, environment) WHERE revoked_at IS NULL;

-- Logged, so that windows survive a failover. Room is left in each page, so that an update stays in it and touches no index.
CREATE TABLE rate_windows (
    key_id text COLLATE "C" NOT NULL,
    counters integer[] NOT NULL DEFAULT array_fill(0, ARRAY[61]),
    last_second bigint NOT NULL DEFAULT 0,
    last_counted_at timestamptz(6),
    CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id),
    CONSTRAINT rate_windows_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT rate_windows_counters CHECK (cardinality(counters) = 61)
) WITH (fillfactor = 50);

-- A row per key, changed by every request: vacuum comes after a number of changes, however many keys there are, and does not pause.
ALTER TABLE rate_windows SET (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_analyze_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- A later claim has a higher token, whatever its key.
CREATE SEQUENCE idempotency_token AS bigint;

-- No foreign key to accounts: admit has just read the account, and the check would lock its row in every creation.
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
);
-- What the sweeper looks through: the claims that are open, none of the millions that are done. Not "WHERE state = 'claimed'": the
-- planner would then prefer this index to the primary key for statements about one claim.
CREATE INDEX idempotency_registry_lease_until_idx ON idempotency_registry (lease_until) WHERE lease_until IS NOT NULL;

-- Grows for ever, and every row is changed once, soon after its insertion. By default vacuum would wait until a fifth of it is dead.
ALTER TABLE idempotency_registry SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);

CREATE TABLE account_members (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    role text NOT NULL,
    issuer text COLLATE "C",
    subject text COLLATE "C",
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT account_members_pkey PRIMARY KEY (id),
    CONSTRAINT account_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT account_members_role CHECK (role IN ('admin', 'viewer')),
    CONSTRAINT account_members_identity CHECK ((issuer IS NULL) = (subject IS NULL))
);
CREATE UNIQUE INDEX account_members_account_id_email_key ON account_members (account_id, email);
CREATE UNIQUE INDEX account_members_account_id_issuer_subject_key ON account_members (account_id, issuer, subject);
CREATE INDEX account_members_email_idx ON account_members (email);
CREATE INDEX account_members_issuer_subject_idx ON account_members (issuer, subject);

-- Links and sessions end with their member.
CREATE TABLE sign_in_links (
    hash bytea NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash),
    CONSTRAINT sign_in_links_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT sign_in_links_hash CHECK (octet_length(hash) = 32)
);
CREATE INDEX sign_in_links_member_id_idx ON sign_in_links (member_id);
CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at);

CREATE TABLE sessions (
    hash bytea NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    authenticated_at timestamptz(3) NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    forms integer NOT NULL DEFAULT 0,
    forms_since timestamptz(3),
    CONSTRAINT sessions_pkey PRIMARY KEY (hash),
    CONSTRAINT sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT sessions_hash CHECK (octet_length(hash) = 32)
);
CREATE INDEX sessions_member_id_idx ON sessions (member_id);
CREATE INDEX sessions_seen_at_idx ON sessions (seen_at);

CREATE TABLE sign_in_refusals (
    source text COLLATE "C" NOT NULL,
    since timestamptz(3) NOT NULL,
    count integer NOT NULL,
    CONSTRAINT sign_in_refusals_pkey PRIMARY KEY (source, since)
);
CREATE INDEX sign_in_refusals_since_idx ON sign_in_refusals (since);

CREATE TABLE audit_entries (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    environment text,
    subject text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    source text NOT NULL,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
    CONSTRAINT audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT audit_entries_environment CHECK (environment IN ('sandbox', 'live'))
);
CREATE INDEX audit_entries_account_id_at_id_idx ON audit_entries (account_id, at DESC, id DESC);
CREATE INDEX audit_entries_at_idx ON audit_entries (at);

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

CREATE FUNCTION limit_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM account_members WHERE account_id = NEW.account_id) > 100 THEN
        RAISE check_violation USING CONSTRAINT = 'account_members_limit',
            MESSAGE = format('%s has more than 100 members', NEW.account_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_members AFTER INSERT ON account_members FOR EACH ROW EXECUTE FUNCTION limit_members();
