-- A row per account that has ever sent a test.
CREATE TABLE webhook_tests (
  account_id text COLLATE "C" PRIMARY KEY,
  since timestamptz(3) NOT NULL,
  tests integer NOT NULL
);
