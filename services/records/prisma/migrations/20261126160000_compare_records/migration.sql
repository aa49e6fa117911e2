-- GIN is read through a bitmap, which nothing else on the parts' connections is: up to PostgreSQL 17, a search would read the whole table.
-- Only the index leads to rows: account and environment are compared as one text, for which there is no other. Parameters: the table; for
-- each way to read what is searched for, its hashes and its patterns for LIKE, as arrays in text; account and environment; from and before
-- which time; after which place (time, ID) in the list; how many. Returns the newest matches, and a row without an ID: how many rows of that time
-- have the hashes but do not match. The release before this one calls `match_records`, which does not say that.
CREATE FUNCTION compare_records(text, text[], text[], text, timestamptz, timestamptz, timestamptz, text, bigint)
RETURNS TABLE (id text, created_at timestamptz, misses integer) LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
BEGIN
  RETURN QUERY EXECUTE format('
    WITH compared AS MATERIALIZED (
      SELECT found.* FROM unnest($1, $2) AS asked (grams, patterns)
      CROSS JOIN LATERAL (
        SELECT searched.id, searched.created_at, CASE WHEN searched.created_at >= $4 AND searched.created_at < $5
          AND (searched.created_at, searched.id) < ($6, $7) THEN searched.text LIKE ALL (asked.patterns::text[]) END AS matches
        FROM %I AS searched
        WHERE searched.grams @> asked.grams::integer[] AND searched.account_id || searched.environment = $3
        OFFSET 0) AS found)
    SELECT NULL, NULL::timestamptz, count(*)::integer FROM compared WHERE NOT matches
    UNION ALL (
      SELECT newest.id, newest.created_at, NULL::integer FROM compared AS newest WHERE matches
      ORDER BY newest.created_at DESC, newest.id DESC LIMIT $8)', $1)
  USING $2, $3, $4, $5, $6, $7, $8, $9;
END $$;
