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
CREATE INDEX api_keys_account_id_idx ON api_keys (account_id);

-- Logged, so that windows survive a failover. Room is left in each page, so that an update stays in it and touches no index.
CREATE TABLE rate_windows (
    key_id text COLLATE "C" NOT NULL,
    counters integer[] NOT NULL DEFAULT array_fill(0, ARRAY[61]),
    last_second bigint NOT NULL DEFAULT 0,
    CONSTRAINT rate_windows_pkey PRIMARY KEY (key_id),
    CONSTRAINT rate_windows_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT rate_windows_counters CHECK (cardinality(counters) = 61)
) WITH (fillfactor = 50);

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

-- One round trip in front of every request: whose the key is, whether the request is within the limit, and what the registry
-- holds under its idempotency key. No row: the key is unknown, expired or revoked. A request that is refused is not counted.
CREATE FUNCTION admit(presented_hash bytea, presented_key text, requests_per_minute integer, clock_offset_ms integer)
RETURNS TABLE (
    key_id text,
    account_id text,
    account_name text,
    environment text,
    scopes text[],
    within boolean,
    remaining integer,
    reset_seconds integer,
    fingerprint bytea,
    owner text,
    state text,
    token bigint,
    attempts integer,
    lease_live boolean
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
DECLARE
    held record;
    clock timestamptz;
    this_minute timestamptz;
    this_second bigint;
    gone integer;
    slots integer[];
    counted integer;
    oldest integer;
    admitted boolean;
BEGIN
    -- Waits for no disk: a crash forgets at most the last 0.6 s of counts. A SET clause of the function would be undone before the commit.
    PERFORM set_config('synchronous_commit', 'off', true);

    SELECT k.id, k.account_id, a.name, k.environment, k.scopes, k.expires_at, k.last_used_at, w.counters, w.last_second
    INTO held
    FROM api_keys k
    JOIN accounts a ON a.id = k.account_id
    JOIN rate_windows w ON w.key_id = k.id
    WHERE k.hash = presented_hash AND k.revoked_at IS NULL
    FOR UPDATE OF w;
    IF NOT FOUND THEN
        RETURN;
    END IF;

    -- Read after the lock: two requests are counted in the order of their clocks.
    clock := clock_timestamp() + clock_offset_ms * interval '1 millisecond';
    IF held.expires_at <= clock THEN
        RETURN;
    END IF;

    -- A clock that was set back a little waits until it has caught up; by more than the window, the window goes back with it.
    this_second := floor(extract(epoch FROM clock));
    IF held.last_second - this_second BETWEEN 1 AND 61 THEN
        this_second := held.last_second;
    END IF;
    gone := least(greatest(this_second - held.last_second, 0), 61);
    slots := held.counters[gone + 1:61] || array_fill(0, ARRAY[gone]);

    SELECT sum(n), min(place) FILTER (WHERE n > 0) INTO counted, oldest
    FROM unnest(slots) WITH ORDINALITY AS slot (n, place);
    admitted := counted < requests_per_minute;
    IF admitted THEN
        slots[61] := slots[61] + 1;
        counted := counted + 1;
        oldest := coalesce(oldest, 61);
    END IF;
    IF admitted OR this_second < held.last_second THEN
        UPDATE rate_windows w SET counters = slots, last_second = this_second WHERE w.key_id = held.id;
    END IF;
    this_minute := date_trunc('minute', clock);
    IF held.last_used_at IS DISTINCT FROM this_minute THEN
        UPDATE api_keys k SET last_used_at = this_minute WHERE k.id = held.id;
    END IF;

    RETURN QUERY
    SELECT held.id, held.account_id, held.name, held.environment, held.scopes,
        admitted, greatest(requests_per_minute - counted, 0), oldest,
        r.fingerprint, r.owner, r.state, r.token, r.attempts, r.state = 'claimed' AND r.lease_until > clock
    FROM (VALUES (held.account_id, held.environment, presented_key)) AS wanted (account_id, environment, idempotency_key)
    LEFT JOIN idempotency_registry r USING (account_id, environment, idempotency_key);
END
$$;
