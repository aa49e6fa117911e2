-- Whether a mail server has accepted the last invitation: waiting, sent or failed. Null: it was not emailed.
ALTER TABLE account_members ADD COLUMN invitation_mail text;

-- Who wants no more invitations of an account.
CREATE TABLE declined_invitations (
    account_id text COLLATE "C" NOT NULL,
    address_hash bytea NOT NULL,
    declined_at timestamptz(3) NOT NULL,
    CONSTRAINT declined_invitations_pkey PRIMARY KEY (account_id, address_hash),
    CONSTRAINT declined_invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT
);
