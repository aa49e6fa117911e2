-- A record that is created with what it is found by needs no worker. The release before this one creates others.
CREATE OR REPLACE FUNCTION queue_for_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'orders' THEN
    INSERT INTO search_queue (record_table, account_id, environment, id)
    SELECT TG_TABLE_NAME, account_id, environment, id FROM created
    WHERE NOT EXISTS (
      SELECT FROM order_search_recent AS recent
      WHERE (recent.account_id, recent.environment, recent.id) = (created.account_id, created.environment, created.id));
  ELSE
    INSERT INTO search_queue (record_table, account_id, environment, id)
    SELECT TG_TABLE_NAME, account_id, environment, id FROM created
    WHERE NOT EXISTS (
      SELECT FROM shipment_search_recent AS recent
      WHERE (recent.account_id, recent.environment, recent.id) = (created.account_id, created.environment, created.id));
  END IF;
  RETURN NULL;
END $$;
