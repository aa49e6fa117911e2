-- release: 1.0.0
-- IDs are compared byte by byte, as JavaScript does: COLLATE "C". The key begins with the caller, so that one index serves GET,
-- lists and ownership.
CREATE TABLE orders (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status = 'received'),
  reference text NOT NULL,
  sender json NOT NULL,
  recipient json NOT NULL,
  parcel json NOT NULL,
  metadata text,
  created_at timestamptz(3) NOT NULL,
  -- The event, the request and the key that made the row.
  origin text,
  PRIMARY KEY (account_id, environment, id)
);

CREATE TABLE shipments (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('draft', 'label_created', 'voided')),
  reference text NOT NULL,
  sender json NOT NULL,
  recipient json NOT NULL,
  parcel json NOT NULL,
  metadata text,
  order_id text COLLATE "C",
  label_id text COLLATE "C",
  created_at timestamptz(3) NOT NULL,
  origin text,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT shipments_order FOREIGN KEY (account_id, environment, order_id)
    REFERENCES orders (account_id, environment, id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT shipments_label CHECK ((status = 'draft') = (label_id IS NULL))
);

-- An environment's list in the developer area, the newest first, of one state or, merged, of all. It begins with a hash of the owner,
-- which only searches name: any other statement has to use the primary key.
CREATE INDEX orders_by_state ON orders ((hashtextextended(account_id || environment, 0)), status, created_at);
CREATE INDEX shipments_by_state ON shipments ((hashtextextended(account_id || environment, 0)), status, created_at);

CREATE INDEX shipments_by_order ON shipments (account_id, environment, order_id, created_at) WHERE order_id IS NOT NULL;

CREATE TABLE ledger (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('result', 'tombstone')),
  fingerprint bytea,
  status integer,
  body bytea,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (account_id, environment, idempotency_key),
  CONSTRAINT ledger_result CHECK (kind = 'tombstone' OR (fingerprint IS NOT NULL AND status IS NOT NULL AND body IS NOT NULL))
);

-- Every event is inserted, updated once or twice, and deleted a minute or two later, so there are few rows, and all of them are soon dead.
-- Vacuum comes after a number of them, not after a share of the table, and does not pause. In a block with room for the row as it is
-- after its publication, PostgreSQL logs only what changed, and not the event once more.
CREATE TABLE outbox (
  id bigserial PRIMARY KEY,
  event_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  body bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  leased_until timestamptz(3) NOT NULL,
  published_at timestamptz(3),
  publications integer NOT NULL DEFAULT 0,
  -- The trace that an event belongs to, where requests are traced: a relay or an attempt hours later continues it.
  traceparent text
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0, fillfactor = 50
);

CREATE UNIQUE INDEX outbox_event_id_key ON outbox (event_id);

-- The relay reads the events that are not published.
CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;

-- The texts by which records are found that have no hashes yet. A search compares all rows of its caller here, so that an account's first
-- records, and the latest of a large one, cost no hashes. A foreign key would cost a creation as much as the row itself. Rows leave by
-- the hundred, and a search steps over them until they are vacuumed.
CREATE TABLE order_search_recent (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE TABLE shipment_search_recent (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, environment, id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE FUNCTION forget_recent_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    DELETE FROM %I AS recent USING gone
    WHERE (recent.account_id, recent.environment, recent.id) = (gone.account_id, gone.environment, gone.id)', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER forget_recent_search AFTER DELETE ON orders REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_recent_search('order_search_recent');
CREATE TRIGGER forget_recent_search AFTER DELETE ON shipments REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_recent_search('shipment_search_recent');

-- The texts by which other records are found, with hashes of owner, segment and letters (src/search/hashes.ts): a built-in index type,
-- no extension, and no list in the index is longer than a segment.
CREATE TABLE order_search (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  hashes integer[] NOT NULL,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT order_search_order FOREIGN KEY (account_id, environment, id)
    REFERENCES orders (account_id, environment, id) ON DELETE CASCADE ON UPDATE RESTRICT
);

CREATE TABLE shipment_search (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  hashes integer[] NOT NULL,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT shipment_search_shipment FOREIGN KEY (account_id, environment, id)
    REFERENCES shipments (account_id, environment, id) ON DELETE CASCADE ON UPDATE RESTRICT
);

-- New rows wait in a list that every search reads. With 256 kB of it instead of 64, a row costs a fourth less, and a search of a segment
-- 0.06 ms more at most.
CREATE INDEX order_search_hashes ON order_search USING gin (hashes) WITH (gin_pending_list_limit = 256);
CREATE INDEX shipment_search_hashes ON shipment_search USING gin (hashes) WITH (gin_pending_list_limit = 256);

-- Each owner's rows with hashes, in the order of their creation, divided into segments. A search reads them from the newest, until its page
-- is full.
CREATE TABLE search_segments (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  record_table text COLLATE "C" NOT NULL,
  segment integer NOT NULL,
  rows integer NOT NULL,
  oldest timestamptz(3) NOT NULL,
  newest timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, environment, record_table, segment)
);

-- find_orders and find_shipments return the records of a few segments that have the hashes and the words of a text, the newest first.
--
-- wanted_hashes: for each segment, the newest first, the hashes of each of up to four ways to read the text. wanted_patterns: what each way
-- compares with LIKE. All are arrays in text. owner: account and environment as one text, for which there is no index, so that only the
-- index of hashes leads to rows. after_time to before_id: between which times, and after which place in the list. max_candidates: how many
-- rows with the hashes may be read. max_bytes: how many bytes of their texts may be compared, the newest first, where to fetch a text
-- counts as 400 bytes. So the cost of a search is bounded, whatever the texts are.
--
-- The first row is about the search: `segments` is how many were read in full, and `created_at` after which time all candidates were
-- compared, if not all were. Each other row is a match.
--
-- Each is a function so that a connection plans it once, for any text: planning takes longer than most searches. GIN is read through a
-- bitmap, which the parts' connections do not plan otherwise: up to PostgreSQL 17, a search would read the whole table.
DO $do$
DECLARE
  names text[];
BEGIN
  FOREACH names SLICE 1 IN ARRAY '{{find_orders, order_search}, {find_shipments, shipment_search}}'::text[] LOOP
    EXECUTE format('
      CREATE FUNCTION %1$I(
        wanted_hashes text[], wanted_patterns text[], owner text, after_time timestamptz, before_time timestamptz,
        before_place timestamptz, before_id text, max_candidates bigint, max_bytes bigint, max_matches bigint)
      RETURNS TABLE (id text, created_at timestamptz, segments bigint)
      LANGUAGE plpgsql STABLE SET enable_bitmapscan = on SET plan_cache_mode = force_generic_plan AS $$
      #variable_conflict use_column
      DECLARE
        first text[] := wanted_patterns[1];
        second text[] := wanted_patterns[2];
        third text[] := wanted_patterns[3];
        fourth text[] := wanted_patterns[4];
      BEGIN
        RETURN QUERY
        WITH candidate AS MATERIALIZED (
          SELECT number, place, found.id, found.created_at, bytes FROM generate_subscripts(wanted_hashes, 1) AS number
          CROSS JOIN LATERAL (
            SELECT searched.ctid AS place, searched.id, searched.created_at, 400 + octet_length(searched.text) AS bytes FROM %2$I AS searched
            WHERE (searched.hashes @> wanted_hashes[number][1]::integer[] OR searched.hashes @> wanted_hashes[number][2]::integer[]
                OR searched.hashes @> wanted_hashes[number][3]::integer[] OR searched.hashes @> wanted_hashes[number][4]::integer[])
              AND searched.account_id || searched.environment = owner
              AND searched.created_at >= after_time AND searched.created_at < before_time
              AND (searched.created_at, searched.id) < (before_place, before_id)
            OFFSET 0) AS found
          LIMIT max_candidates + 1),
        whole AS MATERIALIZED (
          SELECT count(*) AS rows,
            CASE WHEN count(*) > max_candidates THEN max(number) - 1 ELSE array_length(wanted_hashes, 1) END::bigint AS segments,
            CASE WHEN sum(bytes) > max_bytes THEN greatest(1, max_bytes / max(bytes)) ELSE count(*) END AS compared
          FROM candidate),
        newest AS MATERIALIZED (
          SELECT place, candidate.id, candidate.created_at FROM candidate WHERE number <= (SELECT segments FROM whole)
          ORDER BY candidate.created_at DESC, candidate.id DESC LIMIT (SELECT compared FROM whole)),
        match AS MATERIALIZED (
          SELECT newest.id, newest.created_at FROM newest
          CROSS JOIN LATERAL (
            SELECT 1 FROM %2$I AS compared
            WHERE compared.ctid = place AND (compared.text LIKE ALL (first) OR compared.text LIKE ALL (second)
              OR compared.text LIKE ALL (third) OR compared.text LIKE ALL (fourth))
            OFFSET 0) AS matching
          LIMIT max_matches)
        SELECT NULL, CASE WHEN rows > compared AND (SELECT count(*) FROM match) < max_matches THEN (SELECT min(newest.created_at) FROM newest) END,
          whole.segments
        FROM whole
        UNION ALL SELECT match.id, match.created_at, NULL FROM match;
      END $$', names[1], names[2]);
  END LOOP;
END $do$;
