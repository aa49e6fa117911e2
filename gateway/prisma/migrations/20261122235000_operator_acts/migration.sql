-- What operators have changed with the admin command. A row is written before the change and completed after it, so that a change of
-- which nobody knows the end is seen as well.
CREATE TABLE operator_acts (
  id text COLLATE "C" PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  operator text NOT NULL,
  host text NOT NULL,
  command text NOT NULL,
  arguments text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('begun', 'done', 'failed')),
  reason text,
  CONSTRAINT operator_acts_reason CHECK ((outcome = 'failed') = (reason IS NOT NULL))
);
CREATE INDEX operator_acts_at_id_idx ON operator_acts (at DESC, id DESC);
