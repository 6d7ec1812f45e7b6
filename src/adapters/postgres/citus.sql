-- Spreads the tables over a Citus cluster. Run once on the coordinator, after `npm run migrate` and before the first start:
--   psql "$DATABASE_URL" -f src/adapters/postgres/citus.sql
-- Each primary and unique key begins with the column that its table is spread by.
BEGIN;

-- By calendar: a calendar, its events (kept with their home) and their places are on one shard.
SELECT create_distributed_table('calendars', 'id');
SELECT create_distributed_table('places', 'calendar_id', colocate_with => 'calendars');
SELECT create_distributed_table('events', 'home_id', colocate_with => 'calendars');

SELECT create_distributed_table('removed_calendars', 'id', colocate_with => 'calendars');
SELECT create_distributed_table('calendar_jobs', 'calendar_id', colocate_with => 'calendars');

-- By the address that is looked up.
SELECT create_distributed_table('primaries', 'owner_key', colocate_with => 'none');
SELECT create_distributed_table('access', 'identity', colocate_with => 'none');
SELECT create_distributed_table('managers', 'identity', colocate_with => 'access');
SELECT create_distributed_table('made', 'identity', colocate_with => 'access');

-- By bucket: a change of a bucket and the messages that it causes are on one shard.
SELECT create_distributed_table('buckets', 'name', colocate_with => 'none');
SELECT create_distributed_table('bucket_ids', 'name', colocate_with => 'buckets');
SELECT create_distributed_table('notifications', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('queues', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('outbox', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('outbox_bytes', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('delivery_queues', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('deliveries', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('delivery_bodies', 'bucket', colocate_with => 'buckets');
SELECT create_distributed_table('delivery_bytes', 'bucket', colocate_with => 'buckets');

-- By topic: who publishes to it, and what was published.
SELECT create_distributed_table('topics', 'topic', colocate_with => 'none');
SELECT create_distributed_table('published', 'topic', colocate_with => 'topics');

-- By the name of the destination.
SELECT create_distributed_table('destinations', 'name', colocate_with => 'none');

-- By the digest of a request, and of a caller.
SELECT create_distributed_table('requests', 'key', colocate_with => 'none');
SELECT create_distributed_table('mailed', 'caller', colocate_with => 'requests');

-- The same on every node.
SELECT create_reference_table('settings');

COMMIT;
