-- find_orders and find_shipments: the records of a few segments that have the hashes and the words of a text, the newest first.
--
-- hashes: for each segment, the newest first, the hashes of each of up to three ways to read the text. patterns: what each way compares with
-- LIKE. All are arrays in text. owner: account and environment as one text, for which there is no index, so that only that of the hashes
-- leads to rows. after_time ... before_id: between which times, and after which place in the list. max_candidates: of how many rows with the
-- hashes it reads the times. max_bytes: how long the texts are that it compares, the newest first, where to fetch one counts as 400 bytes.
-- So its cost is bounded, whatever the texts are.
--
-- The first row is about the search: `segments` is how many were read in full, and `created_at` after which time all of them was compared,
-- if that was not everything. Each other row is a match.
--
-- Each is a function so that a connection plans it once, for any text: planning takes longer than most searches. `find_records`, which planned for
-- each text, stays for the release before. GIN is read through a bitmap, which nothing else on the parts' connections is: up to PostgreSQL 17, a
-- search would read the whole table.
DO $do$
DECLARE
  names text[];
BEGIN
  FOREACH names SLICE 1 IN ARRAY '{{find_orders, order_search}, {find_shipments, shipment_search}}'::text[] LOOP
    EXECUTE format('
      CREATE FUNCTION %1$I(
        hashes text[], patterns text[], owner text, after_time timestamptz, before_time timestamptz,
        before_place timestamptz, before_id text, max_candidates bigint, max_bytes bigint, max_matches bigint)
      RETURNS TABLE (id text, created_at timestamptz, segments bigint)
      LANGUAGE plpgsql STABLE SET enable_bitmapscan = on SET plan_cache_mode = force_generic_plan AS $$
      #variable_conflict use_column
      DECLARE
        first text[] := patterns[1];
        second text[] := patterns[2];
        third text[] := patterns[3];
      BEGIN
        RETURN QUERY
        WITH candidate AS MATERIALIZED (
          SELECT number, place, found.id, found.created_at, bytes FROM generate_subscripts(hashes, 1) AS number
          CROSS JOIN LATERAL (
            SELECT searched.ctid AS place, searched.id, searched.created_at, 400 + octet_length(searched.text) AS bytes FROM %2$I AS searched
            WHERE (searched.grams @> hashes[number][1]::integer[]
                OR searched.grams @> hashes[number][2]::integer[] OR searched.grams @> hashes[number][3]::integer[])
              AND searched.account_id || searched.environment = owner
              AND searched.created_at >= after_time AND searched.created_at < before_time
              AND (searched.created_at, searched.id) < (before_place, before_id)
            OFFSET 0) AS found
          LIMIT max_candidates + 1),
        whole AS MATERIALIZED (
          SELECT count(*) AS rows,
            CASE WHEN count(*) > max_candidates THEN max(number) - 1 ELSE array_length(hashes, 1) END::bigint AS segments,
            CASE WHEN sum(bytes) > max_bytes THEN greatest(1, max_bytes / max(bytes)) ELSE count(*) END AS compared
          FROM candidate),
        newest AS MATERIALIZED (
          SELECT place, candidate.id, candidate.created_at FROM candidate WHERE number <= (SELECT segments FROM whole)
          ORDER BY candidate.created_at DESC, candidate.id DESC LIMIT (SELECT compared FROM whole)),
        match AS MATERIALIZED (
          SELECT newest.id, newest.created_at FROM newest
          CROSS JOIN LATERAL (
            SELECT 1 FROM %2$I AS compared
            WHERE compared.ctid = place AND (compared.text LIKE ALL (first) OR compared.text LIKE ALL (second) OR compared.text LIKE ALL (third))
            OFFSET 0) AS matching
          LIMIT max_matches)
        SELECT NULL, CASE WHEN rows > compared AND (SELECT count(*) FROM match) < max_matches THEN (SELECT min(newest.created_at) FROM newest) END,
          whole.segments
        FROM whole
        UNION ALL SELECT match.id, match.created_at, NULL FROM match;
      END $$', names[1], names[2]);
  END LOOP;
END $do$;
