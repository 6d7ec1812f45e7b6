-- Removes the demo's calendars and buckets from a database, with all that was stored in them since. With every gateway stopped:
--   psql "$DATABASE_URL" -v ON_ERROR_STOP=1 -f docs/remove-demo-data.sql
-- Where nothing else is stored, the next start loads its SEED_FILE. Sync tokens of all calendars expire: clients list again.
BEGIN;

CREATE TEMPORARY TABLE demo_calendars ON COMMIT DROP AS SELECT * FROM (VALUES ('alice@example.com'), ('bob@example.com'), ('team@group.calendar.example.com')) AS demo (id);
CREATE TEMPORARY TABLE demo_buckets ON COMMIT DROP AS SELECT * FROM (VALUES ('demo-photos'), ('demo-archive'), ('demo-drafts')) AS demo (name);

DELETE FROM places WHERE home_id IN (SELECT id FROM demo_calendars) OR calendar_id IN (SELECT id FROM demo_calendars);
DELETE FROM events WHERE home_id IN (SELECT id FROM demo_calendars);
DELETE FROM access WHERE calendar_id IN (SELECT id FROM demo_calendars);
DELETE FROM primaries WHERE calendar_id IN (SELECT id FROM demo_calendars);
DELETE FROM calendars WHERE id IN (SELECT id FROM demo_calendars);
-- Events of others to which the demo's users were invited stay, without the copies on the demo's calendars.
UPDATE events SET body = jsonb_set(body, '{copies}', (body -> 'copies') - (SELECT array_agg(id) FROM demo_calendars))
  WHERE body -> 'copies' ?| (SELECT array_agg(id) FROM demo_calendars);

DELETE FROM notifications WHERE bucket IN (SELECT name FROM demo_buckets);
DELETE FROM topics WHERE bucket IN (SELECT name FROM demo_buckets);
-- What waits for brokers and webhooks, and mails of events.
DELETE FROM deliveries WHERE bucket IN (SELECT name FROM demo_buckets UNION SELECT id FROM demo_calendars);
DELETE FROM delivery_bodies WHERE bucket IN (SELECT name FROM demo_buckets UNION SELECT id FROM demo_calendars);
DELETE FROM delivery_queues WHERE bucket IN (SELECT name FROM demo_buckets UNION SELECT id FROM demo_calendars);
DELETE FROM published WHERE attributes ->> 'bucketId' IN (SELECT name FROM demo_buckets);
DELETE FROM managers WHERE bucket IN (SELECT name FROM demo_buckets);
DELETE FROM bucket_ids WHERE name IN (SELECT name FROM demo_buckets);
DELETE FROM buckets WHERE name IN (SELECT name FROM demo_buckets);
-- What the demo's users made today counts no more.
DELETE FROM made WHERE identity IN (SELECT id FROM demo_calendars);

UPDATE settings SET value = 'none' WHERE name = 'seed' AND NOT EXISTS (SELECT 1 FROM calendars) AND NOT EXISTS (SELECT 1 FROM buckets);
UPDATE settings SET value = gen_random_uuid()::text WHERE name = 'epoch';

COMMIT;
