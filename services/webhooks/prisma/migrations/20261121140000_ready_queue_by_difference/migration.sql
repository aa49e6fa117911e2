-- The ready queue by difference: what a statement has claimed, ended or put off is added to what the queue says. The rows of the queue are
-- locked in the order of their ids: of an insertion by the statement that inserts, which has to know them, of a change here. Only where
-- something pending was taken away does anybody look at the deliveries for the next one: that look is a statement of its own, so its
-- snapshot is younger than the lock, and what it finds is exact.
CREATE OR REPLACE FUNCTION deliveries_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE ready_queue AS q SET next_due = least(q.next_due, born.next_at), in_flight = q.in_flight + born.claimed
  FROM (
    SELECT subscription_id, min(next_at) AS next_at, count(*) FILTER (WHERE state = 'in_flight') AS claimed
    FROM inserted GROUP BY subscription_id) AS born
  WHERE q.subscription_id = born.subscription_id;
  RETURN NULL;
END $$;

-- A batch that holds a success ends the streak: which of its attempts ended last is not known.
CREATE OR REPLACE FUNCTION deliveries_updated() RETURNS trigger LANGUAGE plpgsql AS $$
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
