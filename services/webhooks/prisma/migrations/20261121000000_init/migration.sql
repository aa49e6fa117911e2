-- Ids are compared byte by byte, as JavaScript does: COLLATE "C".
CREATE TABLE subscriptions (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  url text NOT NULL,
  events text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 4),
  status text NOT NULL CHECK (status IN ('active', 'disabled')),
  secret bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  disabled_at timestamptz(3),
  CONSTRAINT subscriptions_disabled CHECK ((status = 'disabled') = (disabled_at IS NOT NULL))
);

CREATE INDEX subscriptions_owned ON subscriptions (account_id, environment, id);

-- What accept-event asks for: disabled ones may grow in number without end.
CREATE INDEX subscriptions_active ON subscriptions (account_id, environment) WHERE status = 'active';

-- The limit of ten as a constraint that raises. A count in the statement would be older than the lock that protects it.
CREATE TABLE active_subscriptions (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  active integer NOT NULL,
  PRIMARY KEY (account_id, environment),
  CONSTRAINT active_subscriptions_limit CHECK (active BETWEEN 0 AND 10)
);

CREATE TABLE ledger (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  token bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('result', 'tombstone')),
  fingerprint bytea,
  status integer,
  body bytea,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (account_id, environment, idempotency_key),
  CONSTRAINT ledger_result CHECK (kind = 'tombstone' OR (fingerprint IS NOT NULL AND status IS NOT NULL AND body IS NOT NULL))
);

CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  type text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  body bytea NOT NULL,
  received_at timestamptz(3) NOT NULL
);

CREATE TABLE dead_events (
  id bigserial PRIMARY KEY,
  event_id text COLLATE "C",
  message bytea NOT NULL,
  reason text NOT NULL,
  received_at timestamptz(3) NOT NULL
);

CREATE INDEX dead_events_event_id ON dead_events (event_id);

CREATE TABLE deliveries (
  subscription_id text COLLATE "C" NOT NULL REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  event_id text COLLATE "C" NOT NULL REFERENCES events ON DELETE RESTRICT ON UPDATE RESTRICT,
  state text NOT NULL CHECK (state IN ('pending', 'in_flight', 'delivered', 'exhausted', 'cancelled')),
  -- Counted when an attempt is claimed, so a ninth request would need a ninth claim.
  attempt integer NOT NULL CHECK (attempt BETWEEN 0 AND 8),
  next_at timestamptz(3),
  lease_until timestamptz(3),
  claim_id uuid,
  last_status integer,
  last_error text,
  last_ms integer,
  PRIMARY KEY (subscription_id, event_id),
  CONSTRAINT deliveries_pending CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CONSTRAINT deliveries_leased CHECK ((state = 'in_flight') = (lease_until IS NOT NULL)),
  CONSTRAINT deliveries_claimed CHECK ((state = 'in_flight') = (claim_id IS NOT NULL))
);

CREATE INDEX deliveries_due ON deliveries (subscription_id, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_under_way ON deliveries (subscription_id, lease_until) WHERE state = 'in_flight';

-- One row per subscription. Low fill: every delivery changes its row.
CREATE TABLE ready_queue (
  subscription_id text COLLATE "C" PRIMARY KEY REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  next_due timestamptz(3),
  in_flight integer NOT NULL DEFAULT 0,
  fail_streak integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE INDEX ready_queue_due ON ready_queue (next_due) WHERE next_due IS NOT NULL;

-- The one place that writes the ready queue, after every statement that writes deliveries. It first locks the rows of the
-- subscriptions concerned, in the order of their ids, and then counts: in READ COMMITTED the count has a snapshot of its own,
-- taken under the lock. So whoever comes last to a row sees what all before have committed, and it is exact at each commit.
CREATE FUNCTION keep_ready_queue(subscription_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ready_queue WHERE subscription_id = ANY (subscription_ids) ORDER BY subscription_id FOR UPDATE;
  UPDATE ready_queue AS q SET
    next_due = (SELECT min(d.next_at) FROM deliveries AS d WHERE d.subscription_id = q.subscription_id AND d.state = 'pending'),
    in_flight = (SELECT count(*) FROM deliveries AS d WHERE d.subscription_id = q.subscription_id AND d.state = 'in_flight')
  WHERE q.subscription_id = ANY (subscription_ids);
END $$;

CREATE FUNCTION deliveries_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_ready_queue(ARRAY(SELECT DISTINCT subscription_id FROM inserted));
  RETURN NULL;
END $$;

-- A batch that holds a success ends the streak: which of its attempts ended last is not known.
CREATE FUNCTION deliveries_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM keep_ready_queue(ARRAY(SELECT DISTINCT subscription_id FROM changed));
  UPDATE ready_queue AS q SET fail_streak = CASE WHEN ended.delivered THEN 0 ELSE q.fail_streak + ended.failed END
  FROM (
    SELECT changed.subscription_id, bool_or(changed.state = 'delivered') AS delivered, count(*) AS failed
    FROM changed JOIN before USING (subscription_id, event_id)
    WHERE before.state = 'in_flight' AND changed.state <> 'in_flight'
    GROUP BY changed.subscription_id
  ) AS ended
  WHERE q.subscription_id = ended.subscription_id AND (q.fail_streak > 0 OR NOT ended.delivered);
  RETURN NULL;
END $$;

CREATE TRIGGER deliveries_inserted AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION deliveries_inserted();
CREATE TRIGGER deliveries_updated AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION deliveries_updated();
