ALTER TABLE api_keys
    ADD COLUMN name text,
    ADD COLUMN form_id text COLLATE "C";
CREATE UNIQUE INDEX api_keys_account_id_form_id_key ON api_keys (account_id, form_id);

CREATE TABLE account_members (
    id text COLLATE "C" NOT NULL,
    account_id text COLLATE "C" NOT NULL,
    email text COLLATE "C" NOT NULL,
    role text NOT NULL,
    issuer text COLLATE "C",
    subject text COLLATE "C",
    created_at timestamptz(3) NOT NULL,
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
