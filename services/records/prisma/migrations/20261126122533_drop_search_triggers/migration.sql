-- contract: since 20261126115618, a creation writes by itself what its record is found by.
DROP TRIGGER queue_for_search ON orders;
DROP TRIGGER queue_for_search ON shipments;
DROP FUNCTION queue_for_search();
