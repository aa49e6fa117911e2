-- The trace that an event belongs to, where requests are traced: a relay or an attempt hours later goes on with it.
ALTER TABLE outbox ADD COLUMN traceparent TEXT;
