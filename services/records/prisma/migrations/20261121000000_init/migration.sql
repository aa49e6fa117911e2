-- Ids are compared byte by byte, as JavaScript does: COLLATE "C". The key begins with the caller, so that one index serves GET,
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
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT shipments_order FOREIGN KEY (account_id, environment, order_id)
    REFERENCES orders (account_id, environment, id) ON DELETE RESTRICT ON UPDATE RESTRICT,
  CONSTRAINT shipments_label CHECK ((status = 'draft') = (label_id IS NULL))
);

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
  -- The trace that an event belongs to, where requests are traced: a relay or an attempt hours later goes on with it.
  traceparent text
);

CREATE UNIQUE INDEX outbox_event_id_key ON outbox (event_id);

-- The relay's question: what is not published and nobody's.
CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;

-- Every event is inserted, updated once or twice, and deleted a minute or two later: few rows, all of them soon dead. Vacuum comes after
-- a number of them, not after a share of the table, and does not pause.
ALTER TABLE outbox SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0
);
