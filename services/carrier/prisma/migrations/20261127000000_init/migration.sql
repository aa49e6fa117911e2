-- release: 1.0.0
-- IDs are compared byte by byte, as JavaScript does: COLLATE "C". The key begins with the caller, so that one index serves GET,
-- lists and ownership.
CREATE TABLE labels (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id text COLLATE "C" NOT NULL,
  shipment_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('created', 'voided')),
  carrier text NOT NULL,
  tracking_number text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  voided_at timestamptz(3),
  -- The rate of the label, and who made and voided it: the event, the request and the key.
  rate text,
  origin text,
  void_origin text,
  -- These are the carrier's facts about the label. The defaults are the sandbox's.
  format text NOT NULL DEFAULT 'pdf',
  currency text NOT NULL DEFAULT 'EUR',
  amount double precision NOT NULL DEFAULT 0,
  test boolean NOT NULL DEFAULT true,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT labels_voided CHECK ((status = 'voided') = (voided_at IS NOT NULL))
);

CREATE UNIQUE INDEX labels_shipment_id_key ON labels (shipment_id);
CREATE UNIQUE INDEX labels_tracking_number_key ON labels (tracking_number);

-- This index serves an environment's list in the developer area, newest first, of one state or, merged, of both. It begins with a hash of
-- the owner, which only searches name: any other statement has to use the primary key.
CREATE INDEX labels_by_state ON labels ((hashtextextended(account_id || environment, 0)), status, created_at);

-- Most files have 2.5 to 6 KB. In the row itself, a file is read without a second index and a second table.
CREATE TABLE label_files (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  label_id text COLLATE "C" NOT NULL,
  pdf bytea NOT NULL,
  PRIMARY KEY (account_id, environment, label_id),
  CONSTRAINT label_files_label FOREIGN KEY (account_id, environment, label_id)
    REFERENCES labels (account_id, environment, id) ON DELETE RESTRICT ON UPDATE RESTRICT
) WITH (toast_tuple_target = 8160);

-- A PDF is already compressed.
ALTER TABLE label_files ALTER COLUMN pdf SET STORAGE EXTERNAL;

CREATE TABLE bookings (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  id text COLLATE "C" NOT NULL,
  shipment_id text COLLATE "C" NOT NULL,
  carrier text NOT NULL,
  state text NOT NULL CHECK (state IN ('asked', 'held', 'voiding', 'cancelling', 'over')),
  idempotency_key text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  token bigint NOT NULL,
  requested_by text NOT NULL,
  request_id text NOT NULL,
  reference text,
  turn integer NOT NULL,
  leased_until timestamptz(3) NOT NULL,
  doubt_until timestamptz(3),
  due_at timestamptz(3),
  problem text,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, environment, id),
  CONSTRAINT bookings_held CHECK (state NOT IN ('held', 'voiding') OR reference IS NOT NULL)
);

-- A shipment has at most one booking that has its label, or may still get it.
CREATE UNIQUE INDEX bookings_shipment_id_key ON bookings (shipment_id) WHERE state IN ('asked', 'held', 'voiding');

-- The worker reads the bookings that are due.
CREATE INDEX bookings_due ON bookings (due_at) WHERE due_at IS NOT NULL;

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
-- Vacuum starts after a number of them, not after a share of the table, and does not pause. In a block with room for the new version of a
-- row, PostgreSQL logs only the changed columns at its publication, and not the event a second time.
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
  -- The trace of the event, where requests are traced: a relay or an attempt hours later continues it.
  traceparent text,
  projected_at timestamptz(3)
) WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000,
  autovacuum_vacuum_cost_delay = 0, fillfactor = 50
);

CREATE UNIQUE INDEX outbox_event_id_key ON outbox (event_id);

-- The relay reads the unpublished events, and the projection those that records and tracking lack.
CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;
CREATE INDEX outbox_unprojected ON outbox (id) WHERE projected_at IS NULL;
