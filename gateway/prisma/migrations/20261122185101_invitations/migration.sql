ALTER TABLE account_members ADD COLUMN invited_at timestamptz(3);

ALTER TABLE sign_in_links
    ADD COLUMN form_id text COLLATE "C",
    ADD COLUMN return_to text;
CREATE UNIQUE INDEX sign_in_links_member_id_form_id_key ON sign_in_links (member_id, form_id);

CREATE TABLE mail_counts (
    name text COLLATE "C" NOT NULL,
    since timestamptz(3) NOT NULL,
    count integer NOT NULL,
    CONSTRAINT mail_counts_pkey PRIMARY KEY (name, since)
);
CREATE INDEX mail_counts_since_idx ON mail_counts (since);

-- An account that has an admin keeps one. One who was invited and has not come yet is none: the address may be wrong. As with the other
-- limits, the account's row is locked, and a statement of its own looks: of two admins who remove each other at once, one stays.
CREATE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = OLD.account_id FOR NO KEY UPDATE;
    IF NOT EXISTS (SELECT FROM account_members
        WHERE account_id = OLD.account_id AND role = 'admin' AND invited_at IS NULL) THEN
        RAISE check_violation USING CONSTRAINT = 'account_members_last_admin',
            MESSAGE = format('%s would have no admin', OLD.account_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER keep_an_admin_of_removed AFTER DELETE ON account_members FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.invited_at IS NULL) EXECUTE FUNCTION keep_an_admin();
CREATE TRIGGER keep_an_admin_of_changed AFTER UPDATE OF role ON account_members FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.invited_at IS NULL AND NEW.role <> 'admin') EXECUTE FUNCTION keep_an_admin();
