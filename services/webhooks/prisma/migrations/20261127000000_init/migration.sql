-- release: 1.0.0
-- IDs are compared byte by byte, as JavaScript does: COLLATE "C".
CREATE TABLE subscriptions (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL CHECK (environment IN ('sandbox', 'live')),
  url text NOT NULL,
  events text[] NOT NULL CHECK (cardinality(events) >= 1),
  status text NOT NULL CHECK (status IN ('active', 'disabled')),
  secret bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  disabled_at timestamptz(3),
  CONSTRAINT subscriptions_disabled CHECK ((status = 'disabled') = (disabled_at IS NOT NULL))
);

CREATE INDEX subscriptions_owned ON subscriptions (account_id, environment, id);

-- accept-event reads the active subscriptions. The number of disabled ones has no limit.
CREATE INDEX subscriptions_active ON subscriptions (account_id, environment) WHERE status = 'active';

-- The outbox of lines for the audit log: written in the statement of their change, read and acknowledged by the portal.
CREATE TABLE subscription_changes (
  id text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  action text NOT NULL CHECK (action IN ('created', 'disabled')),
  actor text NOT NULL,
  source text NOT NULL,
  at timestamptz(3) NOT NULL,
  acknowledged_at timestamptz(3)
);
CREATE INDEX subscription_changes_acknowledged_at_idx ON subscription_changes (acknowledged_at);
CREATE INDEX subscription_changes_owned ON subscription_changes (account_id, id);

-- The limit of ten is a constraint that raises. A count in the statement would be older than the lock that protects it.
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

-- Returns the ID of the key that sealed these bytes, which are the length of the ID, the ID, and the rest.
CREATE FUNCTION sealed_with(sealed bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN convert_from(substring(sealed FROM 2 FOR get_byte(sealed, 0)), 'UTF8');

-- A rotation of keys reads these indexes. Equal entries share their place, so these cost a few bytes per row.
CREATE INDEX subscriptions_sealed_with ON subscriptions (sealed_with(secret));
CREATE INDEX ledger_sealed_with ON ledger (sealed_with(body)) WHERE kind = 'result';

CREATE TABLE events (
  id text COLLATE "C" PRIMARY KEY,
  type text NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  body bytea NOT NULL,
  received_at timestamptz(3) NOT NULL,
  -- The trace of the event, where requests are traced: a relay or an attempt hours later continues it.
  traceparent text
);

-- Events are deleted after the retention, in the order in which they came, each with its deliveries.
CREATE INDEX events_received_at ON events (received_at);

CREATE TABLE dead_events (
  id bigserial PRIMARY KEY,
  event_id text COLLATE "C",
  message bytea NOT NULL,
  kind text NOT NULL CHECK (kind IN ('unreadable', 'forged')),
  reason text NOT NULL,
  received_at timestamptz(3) NOT NULL
);

CREATE INDEX dead_events_event_id ON dead_events (event_id);

-- Dead events are deleted after the retention, the oldest first.
CREATE INDEX dead_events_received_at ON dead_events (received_at);

-- The table has no foreign keys: a delivery is made by one statement alone, from an event that it stores and a subscription that it
-- reads; subscriptions are never deleted, and an event goes in one statement with its deliveries. The two look-ups per delivery, by which
-- PostgreSQL would verify that again, were a tenth of the cost of a delivery.
CREATE TABLE deliveries (
  -- The account of the event and of the subscription.
  account_id text COLLATE "C" NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'in_flight', 'delivered', 'exhausted', 'cancelled')),
  -- The attempt is counted when it is claimed, so a ninth request would need a ninth claim.
  attempt integer NOT NULL CHECK (attempt BETWEEN 0 AND 8),
  next_at timestamptz(3),
  lease_until timestamptz(3),
  claim_id uuid,
  last_status integer,
  last_error text,
  last_ms integer,
  last_ended_at timestamptz(3),
  -- Deliveries are found by their account and event. Only the pending and the claimed ones are found by their subscription.
  PRIMARY KEY (account_id, event_id, subscription_id),
  CONSTRAINT deliveries_pending CHECK ((state = 'pending') = (next_at IS NOT NULL)),
  CONSTRAINT deliveries_leased CHECK ((state = 'in_flight') = (lease_until IS NOT NULL)),
  CONSTRAINT deliveries_claimed CHECK ((state = 'in_flight') = (claim_id IS NOT NULL))
);

CREATE INDEX deliveries_due ON deliveries (subscription_id, next_at) WHERE state = 'pending';
CREATE INDEX deliveries_under_way ON deliveries (subscription_id, lease_until) WHERE state = 'in_flight';

-- A delivery is updated once or twice, soon after its insertion, and then rests for the retention. By default, vacuum would wait until a
-- fifth of a month's rows is dead, and the indexes of pending and claimed deliveries would fill with dead entries.
ALTER TABLE deliveries SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);

-- The table has one row per subscription. The fill factor is low, because every delivery changes its row.
CREATE TABLE ready_queue (
  subscription_id text COLLATE "C" PRIMARY KEY REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  account_id text COLLATE "C" NOT NULL,
  next_due timestamptz(3),
  in_flight integer NOT NULL DEFAULT 0,
  fail_streak integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE INDEX ready_queue_due ON ready_queue (next_due) WHERE next_due IS NOT NULL;
CREATE INDEX ready_queue_owned ON ready_queue (account_id, subscription_id);

-- A subscription's row is changed with every delivery, so vacuum starts after a number of changes, and does not pause.
ALTER TABLE ready_queue SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- This trigger is the only code that writes the ready queue, after every statement that writes deliveries; src/dispatch/ready-queue.ts has
-- the rule. It adds the difference: the deliveries that a statement has claimed, ended or put off. The rows of the queue are locked in the
-- order of their ids: for an insertion by the statement that inserts, which must read them, for a change here. The deliveries are searched
-- for the next one only where a pending one was taken away: that search is a statement of its own, so its snapshot is younger than the
-- lock, and its result is exact.
CREATE FUNCTION deliveries_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ready_queue AS q SET next_due = least(q.next_due, added.next_at), in_flight = q.in_flight + added.claimed
  FROM (
    SELECT subscription_id, min(next_at) AS next_at, count(*) FILTER (WHERE state = 'in_flight') AS claimed
    FROM inserted GROUP BY subscription_id) AS added
  WHERE q.subscription_id = added.subscription_id;
  RETURN NULL;
END $$;

-- A batch that contains a success ends the streak, because it is unknown which of its attempts ended last.
CREATE FUNCTION deliveries_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM ready_queue WHERE subscription_id = ANY (ARRAY(SELECT subscription_id FROM changed)) ORDER BY subscription_id FOR UPDATE;
  UPDATE ready_queue AS q SET
    next_due = CASE
      WHEN turned.taken THEN (SELECT min(d.next_at) FROM deliveries AS d WHERE d.subscription_id = q.subscription_id AND d.state = 'pending')
      ELSE least(q.next_due, turned.next_at) END,
    in_flight = q.in_flight + turned.claimed - turned.ended,
    fail_streak = CASE WHEN turned.delivered THEN 0 ELSE q.fail_streak + turned.ended END
  FROM (
    SELECT subscription_id, min(next_at) AS next_at, bool_or(taken) AS taken, bool_or(delivered) AS delivered,
      sum(claimed) AS claimed, sum(ended) AS ended
    FROM (
      SELECT subscription_id, next_at, false AS taken, state = 'delivered' AS delivered, (state = 'in_flight')::integer AS claimed,
        0 AS ended FROM changed
      UNION ALL
      SELECT subscription_id, NULL, state = 'pending', false, 0, (state = 'in_flight')::integer FROM before) AS turn
    GROUP BY subscription_id) AS turned
  WHERE q.subscription_id = turned.subscription_id;
  RETURN NULL;
END $$;

CREATE TRIGGER deliveries_inserted AFTER INSERT ON deliveries
  REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION deliveries_inserted();
CREATE TRIGGER deliveries_updated AFTER UPDATE ON deliveries
  REFERENCING OLD TABLE AS before NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION deliveries_updated();

-- Each replica writes this table and the next every second, with one statement for all subscriptions that had attempts. Blocks have room,
-- because a row changes again and again.
CREATE TABLE subscription_health (
  subscription_id text COLLATE "C" PRIMARY KEY REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  account_id text COLLATE "C" NOT NULL,
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure_reason text,
  last_failure_status integer,
  failing_since timestamptz(3),
  alerted_at timestamptz(3),
  alert_lease_until timestamptz(3)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 1000
);

-- Alerts are sent for subscriptions that have been failing for a day, the longest first.
CREATE INDEX subscription_health_unalerted ON subscription_health (failing_since) WHERE failing_since IS NOT NULL AND alerted_at IS NULL;
CREATE INDEX subscription_health_owned ON subscription_health (account_id, subscription_id);

-- The hour comes first: one hour is written at a time, and the oldest are deleted.
CREATE TABLE subscription_hours (
  hour timestamptz(3) NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  exhausted integer NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, subscription_id)
) WITH (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);

CREATE INDEX subscription_hours_exhausted ON subscription_hours (subscription_id, hour) WHERE exhausted > 0;
CREATE INDEX subscription_hours_owned ON subscription_hours (account_id, hour, subscription_id);

-- Accounts whose deliveries an operator holds, and erased accounts, whose events are dropped.
CREATE TABLE held_accounts (
  account_id text COLLATE "C" PRIMARY KEY,
  since timestamptz(3) NOT NULL,
  erased_at timestamptz(3)
);

-- The proof that this installation owns the event stream. A copy of the database has the same row at first.
CREATE TABLE stream_owner (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  id text NOT NULL,
  tokens text[] NOT NULL,
  turned_at timestamptz(3) NOT NULL,
  previous_id text,
  previous_until bigint
);
