-- What the audit log has still to be told. A row is written by the statement that makes the change, and deleted when it is acknowledged:
-- there are never many.
CREATE TABLE subscription_changes (
  id text COLLATE "C" PRIMARY KEY,
  subscription_id text COLLATE "C" NOT NULL REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  action text NOT NULL CHECK (action IN ('created', 'disabled')),
  actor text NOT NULL,
  source text NOT NULL,
  at timestamptz(3) NOT NULL
);
