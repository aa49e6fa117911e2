-- The trace that an event belongs to, where requests are traced: a relay or an attempt hours later goes on with it.
ALTER TABLE events ADD COLUMN traceparent TEXT;
