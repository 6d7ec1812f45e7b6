import pg from 'pg';
import { broker, type Backlog, type BacklogPart } from '../../../outbox/outbox.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { takesNoChanges, unavailable } from '../failures.ts';
import { namedByText } from '../named-by-text.ts';
import { queryEverywhere, type TableName } from '../everywhere.ts';
import { brokerTables, otherTables } from './outbox-tables.ts';

/** The backlog is counted up to here, for the broker and for all other destinations. */
const mostCounted = 100_000;

/** What waits for some destinations. */
export async function backlog(database: Database, which: BacklogPart | undefined): Promise<Backlog> {
  if (database.isSpread) return backlogEverywhere(database, which);
  const row = await database.use(async ({ run, discard }) => {
    const [found] = await run([countWaiting(which)]);
    refuseStandby(found, discard);
    return found;
  });
  return { count: row?.count as number, ...(row?.oldest != null && { oldestAt: row.oldest as number }) };
}

/** Counted shard by shard: all deliveries of an item stand on one. */
async function backlogEverywhere(database: Database, which: BacklogPart | undefined): Promise<Backlog> {
  await database.use(async ({ run, discard }) =>
    refuseStandby(
      (await run([{ name: 'takes changes', text: `SELECT ${isStandby} AS standby` }]))[0],
      discard,
    ),
  );
  const tables = [brokerTables.items, otherTables.items] as const;
  const rows = await queryEverywhere(database, tables, (table) => {
    const waiting = sourcesOf(which, table)
      .map((source) => `SELECT bucket, id, stored_at FROM ${source}`)
      .join(' UNION ALL ');
    return {
      title: 'backlog',
      text: `SELECT count(*) AS count, min(oldest) AS oldest FROM (SELECT bucket, id, min(stored_at) AS oldest FROM (${waiting}) AS deliveries GROUP BY bucket, id) AS items`,
    };
  });
  const oldest = rows.flatMap((row) => (row.oldest == null ? [] : [row.oldest as number]));
  return {
    count: Math.min(
      mostCounted,
      rows.reduce((sum, row) => sum + (row.count as number), 0),
    ),
    ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }),
  };
}

const isStandby = "pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";

function refuseStandby(found: Row | undefined, discard: () => void): void {
  if (!found?.standby) return;
  // Another connection may lead to the primary.
  discard();
  throw unavailable(takesNoChanges, new Error('the session is read-only, or the server a standby'));
}

const countWaiting = (which: BacklogPart | undefined): Statement => {
  const sources = sourcesOf(which);
  const waiting = sources
    .map((source) => `(SELECT id FROM ${source} LIMIT ${mostCounted})`)
    .join(' UNION ALL ');
  const oldest = sources.map((source) => `(SELECT min(stored_at) FROM ${source})`).join(', ');
  return namedByText(
    'backlog',
    () => `SELECT (SELECT count(*) FROM (SELECT DISTINCT id FROM (${waiting}) AS deliveries) AS items) AS count, least(${oldest}) AS oldest,
    ${isStandby} AS standby`,
  );
};

/** The tables to look at. Names stand in the text, so that indexes of a part are found. */
function sourcesOf(which: BacklogPart | undefined, table: TableName = (name) => name): string[] {
  const [own, others] = [table(brokerTables.items), table(otherTables.items)];
  if (!which) return [own, others];
  if ('only' in which)
    return [which.only === broker ? own : `${others} WHERE destination = ${pg.escapeLiteral(which.only)}`];
  return which.except === broker
    ? [others]
    : [own, `${others} WHERE destination <> ${pg.escapeLiteral(which.except)}`];
}
