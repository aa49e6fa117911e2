-- Where a session was seen last, and in what browser. Null for sessions that the release before has begun.
ALTER TABLE sessions ADD COLUMN source text, ADD COLUMN user_agent text;
