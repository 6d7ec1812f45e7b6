import pg from 'pg';
import { broker, type Backlog, type BacklogPart } from '../../../outbox/outbox.store.ts';
import type { Database, Statement } from '../database.ts';
import { takesNoChanges, unavailable } from '../failures.ts';
import { namedByText } from '../named-by-text.ts';
import { brokerTables, otherTables } from './outbox-tables.ts';

/** The backlog is counted up to here, for the broker and for all other destinations. */
const mostCounted = 100_000;

/** What waits for some destinations. */
export async function backlog(database: Database, which: BacklogPart | undefined): Promise<Backlog> {
  const row = await database.use(async ({ run, discard }) => {
    const [found] = await run([countWaiting(which)]);
    if (!found?.standby) return found;
    // Another connection may lead to the primary.
    discard();
    throw unavailable(takesNoChanges, new Error('the session is read-only, or the server a standby'));
  });
  return { count: row?.count as number, ...(row?.oldest != null && { oldestAt: row.oldest as number }) };
}

const countWaiting = (which: BacklogPart | undefined): Statement => {
  const sources = sourcesOf(which);
  const waiting = sources.map((source) => `(SELECT id FROM ${source} LIMIT ${mostCounted})`).join(' UNION ALL ');
  const oldest = sources.map((source) => `(SELECT min(stored_at) FROM ${source})`).join(', ');
  return namedByText('backlog', () => `SELECT (SELECT count(*) FROM (SELECT DISTINCT id FROM (${waiting}) AS deliveries) AS items) AS count, least(${oldest}) AS oldest,
    pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS standby`);
};

/** The tables to look at. Names stand in the text, so that indexes of a part are found. */
function sourcesOf(which: BacklogPart | undefined): string[] {
  const [own, others] = [brokerTables.items, otherTables.items];
  if (!which) return [own, others];
  if ('only' in which) return [which.only === broker ? own : `${others} WHERE destination = ${pg.escapeLiteral(which.only)}`];
  return which.except === broker ? [others] : [own, `${others} WHERE destination <> ${pg.escapeLiteral(which.except)}`];
}
