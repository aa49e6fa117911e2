-- release: 1.1.0
-- Names that members give to the filters of lists. They end with their member.
CREATE TABLE saved_views (
    id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    list text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    query text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT saved_views_pkey PRIMARY KEY (id),
    CONSTRAINT saved_views_member_id_fkey FOREIGN KEY (member_id) REFERENCES account_members (id) ON DELETE CASCADE ON UPDATE RESTRICT,
    CONSTRAINT saved_views_size CHECK (char_length(name) <= 60 AND char_length(query) <= 3000)
);
CREATE UNIQUE INDEX saved_views_member_id_list_name_key ON saved_views (member_id, list, name);

-- The member's row is locked, and then counted by a statement of its own, as with the limit of members.
CREATE FUNCTION limit_saved_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM account_members WHERE id = NEW.member_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM saved_views WHERE member_id = NEW.member_id) > 50 THEN
        RAISE check_violation USING CONSTRAINT = 'saved_views_limit',
            MESSAGE = format('%s has more than 50 views', NEW.member_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_saved_views AFTER INSERT ON saved_views FOR EACH ROW EXECUTE FUNCTION limit_saved_views();
