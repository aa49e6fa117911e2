-- contract: two foreign keys that no code counts on. A delivery is made by one statement alone, from an event that it stores and a
-- subscription that it reads; subscriptions are never deleted, and an event goes in one statement with its deliveries. The two look-ups
-- per delivery, by which PostgreSQL made sure of that once more, were a tenth of what a delivery cost it.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_event_id_fkey, DROP CONSTRAINT deliveries_subscription_id_fkey;
