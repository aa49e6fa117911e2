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
  PRIMARY KEY (account_id, environment, idempotency_key)
);

-- What the owner's writes leave behind: one row for each execution.
CREATE TABLE executions (
  account_id text NOT NULL,
  environment text NOT NULL,
  content text NOT NULL,
  token bigint NOT NULL
);
