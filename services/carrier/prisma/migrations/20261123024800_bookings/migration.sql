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
  shipment bytea,
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

-- One per shipment that may end in its label, or has.
CREATE UNIQUE INDEX bookings_shipment_id_key ON bookings (shipment_id) WHERE state IN ('asked', 'held', 'voiding');

-- The worker's question.
CREATE INDEX bookings_due ON bookings (due_at) WHERE due_at IS NOT NULL;
