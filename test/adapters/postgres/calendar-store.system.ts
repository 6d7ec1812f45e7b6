import { setTimeout as pause } from 'node:timers/promises';
import { createPostgresCalendarStore } from '../../../src/adapters/postgres/calendars/store.ts';
import { defaultLimits, openDatabase } from '../../../src/adapters/postgres/database.ts';
import { errorAt } from '../../../src/core/errors.ts';
import { calendarStoreContract } from '../../contracts/calendar-store.contract.ts';
import { putCalendar, sampleCalendar, alice } from '../../contracts/event-samples.ts';
import { silentLog } from '../../log-lines.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

describeWithPostgres('the calendar store in PostgreSQL', () => {
  const { makeCalendarStore } = useSharedServer();
  calendarStoreContract('PostgreSQL', makeCalendarStore);

  const { createMigratedUrl } = usePostgres();
  test('a time zone change leaves no open transaction if its second decision, after the calendar is locked, fails', async () => {
    const url = await createMigratedUrl();
    const database = openDatabase(url, silentLog, { ...defaultLimits, maxConnections: 1 });
    try {
      const store = createPostgresCalendarStore(database, () => undefined, Date.now);
      await putCalendar(store, sampleCalendar(alice));
      let decisionCount = 0;
      const change = store.changeCalendar({ calendar: { id: alice } }, () => {
        decisionCount += 1;
        if (decisionCount === 2)
          throw errorAt('PRECONDITION_FAILED', ['ifMatch'], 'conditionNotMet', 'It was changed.');
        return { next: { ...sampleCalendar(alice), timeZone: 'Asia/Tokyo' }, result: undefined };
      });
      await expect(change).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      const openTransactions = await queryOnce(
        url,
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
      );
      expect(openTransactions).toEqual([]);
    } finally {
      await database.close();
    }
  });

  test('time zones of several calendars change in line, each with one connection, however long that takes', async () => {
    const url = await createMigratedUrl();
    const database = openDatabase(url, silentLog, { ...defaultLimits, maxConnectMs: 100 });
    try {
      const store = createPostgresCalendarStore(database, () => undefined, Date.now);
      const ids = Array.from({ length: 4 }, (_, index) => `user${index}@example.com`);
      for (const id of ids) await putCalendar(store, sampleCalendar(id));
      const lockHolder = await database.pool.connect();
      await lockHolder.query('BEGIN');
      // A cluster locks rows of one shard by each statement.
      for (const id of ids) await lockHolder.query('SELECT FROM calendars WHERE id = $1 FOR UPDATE', [id]);
      const changes = ids.map((id) =>
        store.changeCalendar({ calendar: { id } }, ({ calendar = sampleCalendar(id) }) => ({
          next: { ...calendar, timeZone: 'Asia/Tokyo' },
          result: id,
        })),
      );
      const settledChanges = Promise.allSettled(changes);
      await pause(300);
      const usedConnections = database.pool.totalCount - database.pool.idleCount;
      await lockHolder.query('COMMIT');
      lockHolder.release();
      expect(usedConnections).toBe(2);
      expect(await settledChanges).toEqual(ids.map((value) => ({ status: 'fulfilled', value })));
    } finally {
      await database.close();
    }
  });
});
