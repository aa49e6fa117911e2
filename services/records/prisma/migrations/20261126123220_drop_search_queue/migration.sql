-- contract: since 20261126122533, no release reads or writes the queue.
-- If a process of the release before that was killed with records in it, all are looked at once more.
UPDATE search_backfill SET pages = pg_relation_size(record_table::regclass) / current_setting('block_size')::integer
WHERE record_table IN (SELECT record_table FROM search_queue);

DROP TABLE search_queue;
