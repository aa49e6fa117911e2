-- The rate that a label was made with; of its making and its voiding the event, the request, and who asked. Null in rows of before.
ALTER TABLE labels ADD COLUMN rate text, ADD COLUMN origin text, ADD COLUMN void_origin text;

-- An environment's list in the developer area, the newest first, of one state or, merged, of both. It begins with a hash of the owner,
-- which only searches name: any other statement has to use the primary key. On a large table, make it by hand
-- before the release, with CREATE INDEX CONCURRENTLY.
CREATE INDEX IF NOT EXISTS labels_by_state ON labels ((hashtextextended(account_id || environment, 0)), status, created_at);
