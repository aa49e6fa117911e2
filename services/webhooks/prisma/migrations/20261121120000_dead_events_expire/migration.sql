-- Dead events go after the retention, the oldest first.
CREATE INDEX dead_events_received_at ON dead_events (received_at);
