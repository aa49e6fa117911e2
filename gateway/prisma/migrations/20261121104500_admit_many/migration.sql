-- admit for the requests that wait together: one round trip, one answer for each place that is admitted. The hashes are taken in
-- one order everywhere, or two batches would wait for each other's windows.
CREATE FUNCTION admit_many(presented_hashes bytea[], presented_keys text[], requests_per_minute integer, clock_offset_ms integer)
RETURNS TABLE (
    place integer,
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
DECLARE
    presented record;
BEGIN
    FOR presented IN
        SELECT p.hash, p.idempotency_key, p.place::integer AS place
        FROM unnest(presented_hashes, presented_keys) WITH ORDINALITY AS p (hash, idempotency_key, place)
        ORDER BY p.hash, p.place
    LOOP
        RETURN QUERY
        SELECT presented.place, admitted.*
        FROM admit(presented.hash, presented.idempotency_key, requests_per_minute, clock_offset_ms) AS admitted;
    END LOOP;
END
$$;
