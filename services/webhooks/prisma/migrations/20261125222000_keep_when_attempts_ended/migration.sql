-- When the last attempt of a delivery ended. Null: an earlier release stored it.
ALTER TABLE deliveries ADD COLUMN last_ended_at timestamptz(3);
