-- Limits as constraints that raise, whoever inserts. The account's row is locked, and then counted by a statement of its own: its snapshot
-- is younger than the lock, so it sees what every insertion before has committed. The lock holds up nobody but who inserts the same: foreign
-- keys to accounts share it.

-- What is counted; revoked keys may grow in number without end.
CREATE INDEX api_keys_not_revoked ON api_keys (account_id, environment) WHERE revoked_at IS NULL;

-- After the insertion, so that one that ON CONFLICT DO NOTHING leaves out is not refused. Expired keys are not active, hence no counter row.
CREATE FUNCTION limit_active_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM accounts WHERE id = NEW.account_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM api_keys
        WHERE account_id = NEW.account_id AND environment = NEW.environment
            AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())) > 50 THEN
        RAISE check_violation USING CONSTRAINT = 'api_keys_active_limit',
            MESSAGE = format('%s has more than 50 active %s keys', NEW.account_id, NEW.environment);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER limit_active_keys AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION limit_active_keys();

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
