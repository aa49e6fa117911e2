-- Accounts whose deliveries an operator holds.
CREATE TABLE held_accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  since timestamptz(3) NOT NULL
);
