import pg from 'pg';
import type { Backlog, BacklogPart } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { takesNoChanges, unavailable } from '../failures.ts';
import { queryEverywhere } from '../everywhere.ts';

/** Counts what waits for some destinations, shard by shard: all deliveries of an item stand on one. */
export async function backlog(database: Database, which: BacklogPart | undefined): Promise<Backlog> {
  await refuseStandby(database);
  const condition = conditionOf(which);
  const rows = await queryEverywhere(database, ['deliveries'], (table) => ({
    title: 'backlog',
    text: `SELECT count(*) AS count, min(oldest) AS oldest FROM (
      SELECT bucket, id, min(stored_at) AS oldest FROM ${table('deliveries')} d ${condition} GROUP BY bucket, id) AS items`,
  }));
  const oldest = rows.flatMap((row) => (row.oldest == null ? [] : [row.oldest as number]));
  return {
    count: rows.reduce((sum, row) => sum + (row.count as number), 0),
    ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }),
  };
}

async function refuseStandby(database: Database): Promise<void> {
  await database.use(async ({ run, discard }) => {
    const [found] = await run([
      {
        name: 'takes changes',
        text: "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS standby",
      },
    ]);
    if (!found?.standby) return;
    // Another connection may lead to the primary.
    discard();
    throw unavailable(takesNoChanges, new Error('the session is read-only, or the server a standby'));
  });
}

/** The name stands in the text, so that indexes of a part are found. */
function conditionOf(which: BacklogPart | undefined): string {
  if (!which) return '';
  return 'only' in which
    ? `WHERE destination = ${pg.escapeLiteral(which.only)}`
    : `WHERE destination <> ${pg.escapeLiteral(which.except)}`;
}
