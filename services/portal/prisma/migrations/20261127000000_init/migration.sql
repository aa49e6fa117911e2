-- release: 1.0.0
-- IDs are COLLATE "C", so that the database and JavaScript order alike.

-- The gateway's accounts, as far as people are concerned: of all that have members or changes. It may lag behind.
CREATE TABLE accounts (
    id text COLLATE "C" NOT NULL,
    name text NOT NULL,
    suspended_at timestamptz(3),
    erasing_since timestamptz(3),
    read_at timestamptz(3) NOT NULL,
    CONSTRAINT accounts_pkey PRIMARY KEY (id)
);

CREATE TABLE feeds (
    name text COLLATE "C" NOT NULL,
    read_at timestamptz(3) NOT NULL,
    CONSTRAINT feeds_pkey PRIMARY KEY (name)
);

CREATE TABLE account_members (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    role text NOT NULL,
    issuer text COLLATE "C",
    subject text COLLATE "C",
    created_at timestamptz(3) NOT NULL,
    invited_at timestamptz(3),
    -- The form that sent the last invitation.
    invitation_form text COLLATE "C",
    -- Whether a mail server has accepted the last invitation: waiting, sent or failed. Null if it was not emailed.
    invitation_mail text,
    CONSTRAINT account_members_pkey PRIMARY KEY (id),
    CONSTRAINT account_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT account_members_role CHECK (role IN ('admin', 'viewer')),
    CONSTRAINT account_members_identity CHECK ((issuer IS NULL) = (subject IS NULL))
);
CREATE UNIQUE INDEX account_members_account_id_email_key ON account_members (account_id, email);
CREATE UNIQUE INDEX account_members_account_id_issuer_subject_key ON account_members (account_id, issuer, subject);
CREATE INDEX account_members_email_idx ON account_members (email);
CREATE INDEX account_members_issuer_subject_idx ON account_members (issuer, subject);

-- Links and sessions end with their member.
CREATE TABLE sign_in_links (
    hash bytea NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    invitation boolean NOT NULL DEFAULT false,
    return_to text,
    -- Whether the link was only emailed. One that an operator handed over proves nothing about a mailbox.
    emailed boolean NOT NULL DEFAULT false,
    CONSTRAINT sign_in_links_pkey PRIMARY KEY (hash),
    CONSTRAINT sign_in_links_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT sign_in_links_hash CHECK (octet_length(hash) = 32)
);
CREATE INDEX sign_in_links_member_id_idx ON sign_in_links (member_id);
CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at);

CREATE TABLE sessions (
    hash bytea NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    created_at timestamptz(3) NOT NULL,
    authenticated_at timestamptz(3) NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    forms integer NOT NULL DEFAULT 0,
    forms_since timestamptz(3),
    -- Where the session was seen last, and in what browser.
    source text,
    user_agent text,
    -- Whether the sign-in has proved a mailbox or an identity at the provider. Null if neither.
    proof text,
    CONSTRAINT sessions_pkey PRIMARY KEY (hash),
    CONSTRAINT sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT sessions_hash CHECK (octet_length(hash) = 32)
);
CREATE INDEX sessions_member_id_idx ON sessions (member_id);
CREATE INDEX sessions_seen_at_idx ON sessions (seen_at);

CREATE TABLE sign_in_refusals (
    source text COLLATE "C" NOT NULL,
    since timestamptz(3) NOT NULL,
    count integer NOT NULL,
    CONSTRAINT sign_in_refusals_pkey PRIMARY KEY (source, since)
);
CREATE INDEX sign_in_refusals_since_idx ON sign_in_refusals (since);

CREATE TABLE audit_entries (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    environment text,
    subject text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    source text NOT NULL,
    CONSTRAINT audit_entries_pkey PRIMARY KEY (id),
    CONSTRAINT audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT,
    CONSTRAINT audit_entries_environment CHECK (environment IN ('sandbox', 'live'))
);
CREATE INDEX audit_entries_account_id_at_id_idx ON audit_entries (account_id, at DESC, id DESC);
CREATE INDEX audit_entries_at_idx ON audit_entries (at);

-- Addresses to which an account sends no more invitations.
CREATE TABLE declined_invitations (
    account_id text COLLATE "C" NOT NULL,
    address_hash bytea NOT NULL,
    declined_at timestamptz(3) NOT NULL,
    CONSTRAINT declined_invitations_pkey PRIMARY KEY (account_id, address_hash),
    CONSTRAINT declined_invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts (id) ON DELETE RESTRICT ON UPDATE RESTRICT
);

-- Emails that are not sent yet. They end with their member, and contain no token: the attempt that sends one makes its links.
CREATE TABLE mails (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    kind text NOT NULL,
    member_id text COLLATE "C",
    recipient text COLLATE "C" NOT NULL,
    content jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    -- The time of the next attempt; during an attempt, the end of its lease.
    next_at timestamptz(3) NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    CONSTRAINT mails_pkey PRIMARY KEY (id),
    CONSTRAINT mails_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT mails_kind CHECK (kind IN ('sign_in_link', 'invitation', 'alert')),
    CONSTRAINT mails_member CHECK ((member_id IS NULL) = (kind = 'sign_in_link'))
);
CREATE INDEX mails_next_at_idx ON mails (next_at);
CREATE INDEX mails_member_id_idx ON mails (member_id);

CREATE TABLE mail_counts (
    name text COLLATE "C" NOT NULL,
    since timestamptz(3) NOT NULL,
    count integer NOT NULL,
    CONSTRAINT mail_counts_pkey PRIMARY KEY (name, since)
);
CREATE INDEX mail_counts_since_idx ON mail_counts (since);

-- Accounts that have ever sent a test have a row each.
CREATE TABLE webhook_tests (
    account_id text COLLATE "C" PRIMARY KEY,
    since timestamptz(3) NOT NULL,
    tests integer NOT NULL
);

-- Limits as constraints that raise for every change. The account's row is locked, and then counted by a statement of its own: its snapshot is
-- younger than the lock, so it sees what every change before has committed. The lock holds up nobody but who changes members of the same
-- account: foreign keys to accounts share it.

CREATE FUNCTION limit_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM account_members WHERE account_id = NEW.account_id) > 100 THEN
        RAISE check_violation USING CONSTRAINT = 'account_members_limit',
            MESSAGE = format('%s has more than 100 members', NEW.account_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_members AFTER INSERT ON account_members FOR EACH ROW EXECUTE FUNCTION limit_members();

-- An account that has an admin keeps one. A member who was invited and has not come yet is not counted, because the address may be wrong. As
-- with the other limits, the account's row is locked, and a statement of its own looks: if two admins remove each other at once, one stays.
-- An account that is being erased loses all its members.
CREATE FUNCTION keep_an_admin() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER keep_an_admin_of_removed AFTER DELETE ON account_members FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.invited_at IS NULL) EXECUTE FUNCTION keep_an_admin();
CREATE TRIGGER keep_an_admin_of_changed AFTER UPDATE OF role ON account_members FOR EACH ROW
    WHEN (OLD.role = 'admin' AND OLD.invited_at IS NULL AND NEW.role <> 'admin') EXECUTE FUNCTION keep_an_admin();
