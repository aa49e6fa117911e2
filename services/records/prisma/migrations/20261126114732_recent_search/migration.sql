-- contract: the triggers refuse nothing. With a record, they delete what it is found by.

-- What the records are found by that are not in the index of hashes yet. A search compares the texts of all of the caller's rows here, so that
-- an account's first records, and the latest of a large one, cost no hashes. A foreign key would cost a creation as much as the row itself.
CREATE TABLE order_search_recent (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, environment, id)
);

CREATE TABLE shipment_search_recent (
  account_id text COLLATE "C" NOT NULL,
  environment text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  text text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, environment, id)
);

-- A thousand rows leave at once, and a search would step over them until they are vacuumed.
ALTER TABLE order_search_recent SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);
ALTER TABLE shipment_search_recent SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

CREATE FUNCTION forget_recent_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('
    DELETE FROM %I AS recent USING gone
    WHERE (recent.account_id, recent.environment, recent.id) = (gone.account_id, gone.environment, gone.id)', TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER forget_recent_search AFTER DELETE ON orders REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_recent_search('order_search_recent');
CREATE TRIGGER forget_recent_search AFTER DELETE ON shipments REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_recent_search('shipment_search_recent');
