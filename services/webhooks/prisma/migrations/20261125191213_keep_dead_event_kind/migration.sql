-- Null: stored by a release that kept no kind.
ALTER TABLE dead_events ADD COLUMN kind text CHECK (kind IN ('unreadable', 'forged'));
