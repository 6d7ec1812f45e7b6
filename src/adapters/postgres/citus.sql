-- Distributes the tables over a Citus cluster. `npm run migrate` and the first start run it where the database has the extension and
-- nothing is stored. Run by hand, it distributes the remaining tables with their data:
--   psql "$DATABASE_URL" -f src/adapters/postgres/citus.sql
-- Each primary and unique key includes the distribution column. These columns are all texts, and equal texts of any table share a
-- shard: a primary calendar whose id is its owner's address is beside its owner's rows.
DO $$
DECLARE
  wanted record;
BEGIN
  -- Gateways that start at once take turns: the first distributes the tables, the others find them distributed.
  PERFORM pg_advisory_xact_lock(hashtext('spread tables'));
  FOR wanted IN SELECT * FROM (VALUES
    -- By calendar: the calendar, the events whose home it is, a row for each of its events, and its channels.
    ('calendars', 'id'), ('events', 'home_id'), ('places', 'calendar_id'), ('removed_calendars', 'id'), ('calendar_jobs', 'calendar_id'), ('channels', 'calendar_id'),
    -- By the address of a caller.
    ('primaries', 'owner_key'), ('access', 'identity'), ('managers', 'identity'), ('made', 'identity'), ('channel_ids', 'identity'),
    -- By bucket, or by the calendar that mails are about.
    ('buckets', 'name'), ('bucket_ids', 'name'), ('notifications', 'bucket'),
    ('delivery_queues', 'bucket'), ('deliveries', 'bucket'), ('delivery_bodies', 'bucket'),
    -- By topic: the buckets that publish to it, and published messages.
    ('topics', 'topic'), ('published', 'topic'),
    -- By the name of a destination; by the digest of a request, and of a caller.
    ('destinations', 'name'), ('requests', 'key'), ('mailed', 'caller')
  ) AS t (name, by_column)
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t.name::regclass)
  LOOP
    PERFORM create_distributed_table(wanted.name::regclass, wanted.by_column, colocate_with => CASE wanted.name WHEN 'calendars' THEN 'none' ELSE 'calendars' END);
  END LOOP;
END $$;
