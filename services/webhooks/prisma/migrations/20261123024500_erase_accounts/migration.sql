-- Events of an account that was erased are dropped.
ALTER TABLE held_accounts ADD COLUMN erased_at timestamptz(3);
