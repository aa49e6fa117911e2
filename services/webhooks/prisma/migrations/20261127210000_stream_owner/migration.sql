-- How this installation proves that the event stream is its own. A copy of the database has the same row at first.
CREATE TABLE stream_owner (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  id text NOT NULL,
  tokens text[] NOT NULL,
  turned_at timestamptz(3) NOT NULL,
  previous_id text,
  previous_until bigint
);
