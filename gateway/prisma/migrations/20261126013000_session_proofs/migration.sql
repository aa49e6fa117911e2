-- What a session has proved. Null, and false: a link that somebody handed on, or the release before.
ALTER TABLE sign_in_links ADD COLUMN emailed boolean NOT NULL DEFAULT false;
ALTER TABLE sessions ADD COLUMN proof text;
