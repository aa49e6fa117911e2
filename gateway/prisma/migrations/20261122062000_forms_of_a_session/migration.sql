ALTER TABLE sessions
    ADD COLUMN forms integer NOT NULL DEFAULT 0,
    ADD COLUMN forms_since timestamptz(3);
