ALTER TABLE accounts
    ADD COLUMN erasing_since timestamptz(3),
    ADD COLUMN erased_at timestamptz(3);

-- As before, except that an account that is being erased loses all its members.
CREATE OR REPLACE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = OLD.account_id AND erasing_since IS NULL FOR NO KEY UPDATE;
    IF FOUND AND NOT EXISTS (SELECT FROM account_members
        WHERE account_id = OLD.account_id AND role = 'admin' AND invited_at IS NULL) THEN
        RAISE check_violation USING CONSTRAINT = 'account_members_last_admin',
            MESSAGE = format('%s would have no admin', OLD.account_id);
    END IF;
    RETURN NULL;
END
$$;
