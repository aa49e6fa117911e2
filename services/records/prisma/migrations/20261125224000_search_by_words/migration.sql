-- contract: the triggers refuse nothing. They note for the worker which rows are new, whichever release writes them.

-- By what words a record is found. A row goes with its record. `grams` are hashes of owner, segment and three letters in a row
-- (search/search-text.ts): a built-in index type, no extension, and no list in the index is longer than a segment.
CREATE TABLE order_search (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  grams integer[] NOT NULL,
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
  grams integer[] NOT NULL,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT shipment_search_shipment FOREIGN KEY (account_id, environment, id)
    REFERENCES shipments (account_id, environment, id) ON DELETE CASCADE ON UPDATE RESTRICT
);

-- New rows wait in a list that every search reads: 64 kB of it. More makes filling cheaper and searches dearer.
CREATE INDEX order_search_grams ON order_search USING gin (grams) WITH (gin_pending_list_limit = 64);
CREATE INDEX shipment_search_grams ON shipment_search USING gin (grams) WITH (gin_pending_list_limit = 64);

-- GIN is read through a bitmap, which nothing else on the parts' connections is: up to PostgreSQL 17, a search would read the whole table.
-- Only the index leads to rows: account and environment are compared as one text, for which there is no other. Parameters: for each way to
-- read what is searched for, its hashes and its patterns for LIKE, as arrays in text; account and environment; from and before which time;
-- after which place (time, ID) in the list; how many for each.
CREATE FUNCTION match_orders(text[], text[], text, timestamptz, timestamptz, timestamptz, text, bigint)
RETURNS TABLE (id text, created_at timestamptz) LANGUAGE sql STABLE SET enable_bitmapscan = on AS $$
  SELECT found.id, found.created_at
  FROM unnest($1, $2) AS asked (grams, patterns)
  CROSS JOIN LATERAL (
    SELECT searched.id, searched.created_at FROM order_search AS searched
    WHERE searched.grams @> asked.grams::integer[] AND searched.account_id || searched.environment = $3
      AND searched.text LIKE ALL (asked.patterns::text[]) AND searched.created_at >= $4 AND searched.created_at < $5
      AND (searched.created_at, searched.id) < ($6, $7)
    ORDER BY searched.created_at DESC, searched.id DESC LIMIT $8) AS found
$$;

CREATE FUNCTION match_shipments(text[], text[], text, timestamptz, timestamptz, timestamptz, text, bigint)
RETURNS TABLE (id text, created_at timestamptz) LANGUAGE sql STABLE SET enable_bitmapscan = on AS $$
  SELECT found.id, found.created_at
  FROM unnest($1, $2) AS asked (grams, patterns)
  CROSS JOIN LATERAL (
    SELECT searched.id, searched.created_at FROM shipment_search AS searched
    WHERE searched.grams @> asked.grams::integer[] AND searched.account_id || searched.environment = $3
      AND searched.text LIKE ALL (asked.patterns::text[]) AND searched.created_at >= $4 AND searched.created_at < $5
      AND (searched.created_at, searched.id) < ($6, $7)
    ORDER BY searched.created_at DESC, searched.id DESC LIMIT $8) AS found
$$;

-- Each owner's rows in the order of filling, divided into segments; a search reads them from the newest, until its page is full.
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

-- Records that the worker has not read yet.
CREATE TABLE search_queue (
  n bigserial PRIMARY KEY,
  record_table text NOT NULL,
  account_id text NOT NULL,
  environment text NOT NULL,
  id text NOT NULL
);

ALTER TABLE search_queue SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);

CREATE FUNCTION queue_for_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_queue (record_table, account_id, environment, id)
  SELECT TG_TABLE_NAME, account_id, environment, id FROM created;
  RETURN NULL;
END $$;

CREATE TRIGGER queue_for_search AFTER INSERT ON orders REFERENCING NEW TABLE AS created
  FOR EACH STATEMENT EXECUTE FUNCTION queue_for_search();
CREATE TRIGGER queue_for_search AFTER INSERT ON shipments REFERENCING NEW TABLE AS created
  FOR EACH STATEMENT EXECUTE FUNCTION queue_for_search();

-- Rows of before, in pages from 0 to here, which the worker queues when it has nothing else to do.
CREATE TABLE search_backfill (
  record_table text PRIMARY KEY,
  pages integer NOT NULL
);

INSERT INTO search_backfill (record_table, pages)
SELECT name, pg_relation_size(name::regclass) / current_setting('block_size')::integer FROM (VALUES ('orders'), ('shipments')) AS old (name);
