-- Spreads the tables over a Citus cluster, by the columns that name whose data a row is. `npm run migrate` runs it, and so does the
-- first start, where the database has the extension and nothing is stored. Run by hand, it spreads what is not spread yet, with its data:
--   psql "$DATABASE_URL" -f src/adapters/postgres/citus.sql
-- Each primary and unique key has the column that its table is spread by. All of them are texts, and rows of the same text stand on
-- one shard, of whichever table: a primary calendar beside its owner's rows, where it has the owner's address as its id.
DO $$
DECLARE
  wanted record;
BEGIN
  -- Gateways that start at once take turns: the first one spreads the tables, the others find them spread.
  PERFORM pg_advisory_xact_lock(hashtext('spread tables'));
  FOR wanted IN SELECT * FROM (VALUES
    -- By calendar: a calendar, the events that are kept with it, and one row for each event that stands on it.
    ('calendars', 'id'), ('events', 'home_id'), ('places', 'calendar_id'), ('removed_calendars', 'id'), ('calendar_jobs', 'calendar_id'),
    -- By the address of a caller.
    ('primaries', 'owner_key'), ('access', 'identity'), ('managers', 'identity'), ('made', 'identity'),
    -- By bucket, or by the calendar that mails are about.
    ('buckets', 'name'), ('bucket_ids', 'name'), ('notifications', 'bucket'),
    ('delivery_queues', 'bucket'), ('deliveries', 'bucket'), ('delivery_bodies', 'bucket'),
    -- By topic: who publishes to it, and what was published.
    ('topics', 'topic'), ('published', 'topic'),
    -- By the name of a destination; by the digest of a request, and of a caller.
    ('destinations', 'name'), ('requests', 'key'), ('mailed', 'caller')
  ) AS t (name, by_column)
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = t.name::regclass)
  LOOP
    PERFORM create_distributed_table(wanted.name::regclass, wanted.by_column, colocate_with => CASE wanted.name WHEN 'calendars' THEN 'none' ELSE 'calendars' END);
  END LOOP;
END $$;
