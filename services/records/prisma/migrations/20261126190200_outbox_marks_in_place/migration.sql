-- Every row is written again when its event is published. In a block with room for that, PostgreSQL logs only what changed, and not the event once more.
ALTER TABLE outbox SET (fillfactor = 50);
