-- contract: since the search by words (20261125224000), no release reads the indexes of beginnings. Every creation paid for them.
DROP INDEX IF EXISTS orders_by_reference, orders_by_recipient, orders_by_postal_code,
  shipments_by_reference, shipments_by_recipient, shipments_by_postal_code;
