-- release: 1.1.0
-- The names that an account's admins have given to the endpoints of active subscriptions, which webhooks owns.
CREATE TABLE endpoint_names (
    account_id text COLLATE "C" NOT NULL,
    subscription_id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    named_at timestamptz(3) NOT NULL,
    CONSTRAINT endpoint_names_pkey PRIMARY KEY (account_id, subscription_id),
    CONSTRAINT endpoint_names_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT endpoint_names_length CHECK (char_length(name) BETWEEN 1 AND 60)
);
