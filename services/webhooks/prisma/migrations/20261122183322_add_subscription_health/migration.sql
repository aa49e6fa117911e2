-- Both are written every second by each replica, one statement for all subscriptions that had attempts. Low fill: a row changes again and again.
CREATE TABLE subscription_health (
  subscription_id text COLLATE "C" PRIMARY KEY REFERENCES subscriptions ON DELETE RESTRICT ON UPDATE RESTRICT,
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure_reason text,
  last_failure_status integer,
  failing_since timestamptz(3),
  told_at timestamptz(3),
  telling_until timestamptz(3)
) WITH (fillfactor = 50);

-- Those of which somebody is to be told, the longest first.
CREATE INDEX subscription_health_untold ON subscription_health (failing_since) WHERE failing_since IS NOT NULL AND told_at IS NULL;

-- The hour comes first: one hour is written at a time, and the oldest are deleted.
CREATE TABLE subscription_hours (
  hour timestamptz(3) NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  delivered integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  given_up integer NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, subscription_id)
) WITH (fillfactor = 50);

CREATE INDEX subscription_hours_given_up ON subscription_hours (subscription_id, hour) WHERE given_up > 0;

ALTER TABLE subscription_health SET (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.1, autovacuum_analyze_threshold = 1000
);
ALTER TABLE subscription_hours SET (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 5000
);
