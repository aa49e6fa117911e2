/**
 * The tables of the floor: those that the parts' migrations make for the same data, in one database, with the same keys and indexes. They are
 * fixed here, so that ratios of different days have one floor.
 */
export const floorSchema = `
  CREATE TABLE accounts (id text COLLATE "C" PRIMARY KEY, limited boolean NOT NULL);

  CREATE TABLE orders (
    account_id text COLLATE "C", environment text COLLATE "C", id text COLLATE "C",
    status text NOT NULL, reference text NOT NULL,
    sender jsonb NOT NULL, recipient jsonb NOT NULL, parcel jsonb NOT NULL, metadata text, created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, environment, id));

  CREATE TABLE shipments (
    account_id text COLLATE "C", environment text COLLATE "C", id text COLLATE "C",
    status text NOT NULL, reference text NOT NULL,
    sender jsonb NOT NULL, recipient jsonb NOT NULL, parcel jsonb NOT NULL, metadata text,
    order_id text COLLATE "C", label_id text COLLATE "C", created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, environment, id),
    FOREIGN KEY (account_id, environment, order_id) REFERENCES orders (account_id, environment, id));

  CREATE TABLE ledger (
    account_id text COLLATE "C", environment text COLLATE "C", idempotency_key text COLLATE "C",
    fingerprint bytea NOT NULL, status integer NOT NULL, body bytea NOT NULL, created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, environment, idempotency_key));

  CREATE TABLE outbox (
    id bigserial PRIMARY KEY, event_id text COLLATE "C" NOT NULL UNIQUE, type text NOT NULL,
    account_id text COLLATE "C" NOT NULL, environment text COLLATE "C" NOT NULL, body bytea NOT NULL,
    created_at timestamptz(3) NOT NULL);

  CREATE TABLE labels (
    account_id text COLLATE "C", environment text COLLATE "C", id text COLLATE "C",
    shipment_id text COLLATE "C" NOT NULL UNIQUE, status text NOT NULL, carrier text NOT NULL,
    tracking_number text COLLATE "C" NOT NULL UNIQUE, created_at timestamptz(3) NOT NULL, voided_at timestamptz(3),
    PRIMARY KEY (account_id, environment, id));

  CREATE TABLE label_files (
    account_id text COLLATE "C", environment text COLLATE "C", label_id text COLLATE "C", pdf bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (account_id, environment, label_id),
    FOREIGN KEY (account_id, environment, label_id) REFERENCES labels (account_id, environment, id));

  CREATE TABLE tracking_records (
    account_id text COLLATE "C", environment text COLLATE "C", tracking_number text COLLATE "C",
    status text NOT NULL, carrier text NOT NULL, label_id text COLLATE "C" NOT NULL, shipment_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL, updated_at timestamptz(3) NOT NULL,
    PRIMARY KEY (account_id, environment, tracking_number));

  CREATE TABLE deliveries (
    event_id text COLLATE "C" PRIMARY KEY, state text NOT NULL, status integer, ms integer);
`;
