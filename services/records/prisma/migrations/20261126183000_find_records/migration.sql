-- contract: match_records, which the last release no longer calls, is dropped.

-- The records of a few segments that have the hashes and the words of a text, the newest first.
--
-- grams: for each segment, the newest first, the hashes of each way to read the text. patterns: what each way compares with LIKE. All are
-- arrays in text. owner: account and environment as one text, for which there is no index, so that only that of the hashes leads to rows.
-- after_time ... before_id: between which times, and after which place in the list. max_candidates: of how many rows with the hashes it
-- reads the times, and max_bytes: how long the texts are that it compares, the newest first. So its cost is bounded, whatever the texts are.
--
-- The first row is about the search: `segments` is how many were read in full, and `created_at` after which time all of them was compared,
-- if that was not everything. Each other row is a match.
--
-- GIN is read through a bitmap, which nothing else on the parts' connections is: up to PostgreSQL 17, a search would read the whole table.
CREATE FUNCTION find_records(
  search_table text, grams text[], patterns text[], owner text, after_time timestamptz, before_time timestamptz,
  before_place timestamptz, before_id text, max_candidates bigint, max_bytes bigint, max_matches bigint)
RETURNS TABLE (id text, created_at timestamptz, segments bigint) LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
DECLARE
  has_hashes text := (
    SELECT string_agg(format('searched.grams @> ($1)[number][%s]::integer[]', way), ' OR ') FROM generate_subscripts(grams, 2) AS way);
  matches text := (SELECT string_agg(format('compared.text LIKE ALL (%L::text[])', way), ' OR ') FROM unnest(patterns) AS way);
BEGIN
  RETURN QUERY EXECUTE format('
    WITH candidate AS MATERIALIZED (
      SELECT number, place, found.id, found.created_at, bytes FROM generate_subscripts($1, 1) AS number
      CROSS JOIN LATERAL (
        SELECT searched.ctid AS place, searched.id, searched.created_at, octet_length(searched.text) AS bytes FROM %1$I AS searched
        WHERE (%2$s) AND searched.account_id || searched.environment = $2 AND searched.created_at >= $3 AND searched.created_at < $4
          AND (searched.created_at, searched.id) < ($5, $6)
        OFFSET 0) AS found
      LIMIT $7 + 1),
    segment AS MATERIALIZED (SELECT number, count(*) AS rows, sum(bytes) AS bytes, max(bytes) AS longest FROM candidate GROUP BY number),
    whole AS MATERIALIZED (
      SELECT CASE WHEN sum(rows) > $7 THEN max(number) - 1 ELSE array_length($1, 1) END::bigint AS segments FROM segment),
    sized AS MATERIALIZED (
      SELECT sum(rows) AS rows, CASE WHEN sum(bytes) > $8 THEN greatest(1, $8 / max(longest)) ELSE sum(rows) END::bigint AS compared
      FROM segment WHERE number <= (SELECT segments FROM whole)),
    newest AS MATERIALIZED (
      SELECT place, candidate.id, candidate.created_at FROM candidate WHERE number <= (SELECT segments FROM whole)
      ORDER BY candidate.created_at DESC, candidate.id DESC LIMIT (SELECT compared FROM sized)),
    match AS MATERIALIZED (
      SELECT newest.id, newest.created_at FROM newest
      CROSS JOIN LATERAL (SELECT 1 FROM %1$I AS compared WHERE compared.ctid = place AND (%3$s) OFFSET 0) AS matching
      LIMIT $9)
    SELECT NULL, CASE WHEN rows > compared AND (SELECT count(*) FROM match) < $9 THEN (SELECT min(newest.created_at) FROM newest) END, segments
    FROM whole, sized
    UNION ALL SELECT match.id, match.created_at, NULL FROM match', search_table, has_hashes, matches)
  USING grams, owner, after_time, before_time, before_place, before_id, max_candidates, max_bytes, max_matches;
END $$;

DROP FUNCTION match_records;
