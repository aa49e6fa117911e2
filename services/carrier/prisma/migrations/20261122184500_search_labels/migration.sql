-- The rate that a label was made with, who made and who voided it, by which request, and the events of it; empty in rows of before.
ALTER TABLE labels
  ADD COLUMN rate text,
  ADD COLUMN requested_by text, ADD COLUMN request_id text, ADD COLUMN event_id text,
  ADD COLUMN voided_by text, ADD COLUMN void_request_id text, ADD COLUMN void_event_id text;

-- An environment's list in the developer area, the newest first, of one state or, merged, of both. On a large table, make it by hand
-- before the release, with CREATE INDEX CONCURRENTLY.
CREATE INDEX IF NOT EXISTS labels_by_state ON labels (account_id, environment, status, created_at, id);
