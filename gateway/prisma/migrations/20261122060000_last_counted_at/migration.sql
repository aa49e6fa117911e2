ALTER TABLE rate_windows ADD COLUMN last_counted_at timestamptz(6);
