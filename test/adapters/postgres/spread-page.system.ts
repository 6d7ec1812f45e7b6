import {
  alice,
  at,
  between,
  daily,
  idsOf,
  list,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
} from '../../contracts/event-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('a page of a short time where tables are spread', () => {
  const { makeEventStores, database } = sharedServer('spread');

  // As many as are read at once, and more.
  test.each([499, 510])('is the same with %d entries', async (many) => {
    const { calendars, events } = await makeEventStores(() => startOfTime);
    await putCalendar(calendars, sampleCalendar(alice));
    const series = await put(events, sampleEvent('daily', { core: { ...daily, ...between(5, 6) } }));
    // Of the series only what was changed lies in the time that is asked for.
    await put(events, sampleException(series, noonOn(1), { core: between(30 * 24, 30 * 24 + 1) }));
    await put(events, sampleEvent('first', { core: between(30 * 24 - 1, 30 * 24 + 2) }));
    await database().query({
      text: `INSERT INTO events (home_id, key, version, body) SELECT home_id, key || i, version, body || jsonb_build_object('key', key || i) FROM events, generate_series(4, ${many}) i WHERE key IN (SELECT key FROM places WHERE event_id = 'first')`,
    });
    const { rows } = await database().pool.query<{ column_name: string }>(
      "SELECT column_name FROM information_schema.columns WHERE table_name = 'places' AND is_generated = 'NEVER' AND column_name NOT IN ('event_id', 'key', 'position', 'start_ms')",
    );
    const others = rows.map(({ column_name: name }) => name).join(', ');
    await database().query({
      text: `INSERT INTO places (event_id, key, position, start_ms, ${others}) SELECT event_id || i, key || i, 1000 - i, start_ms + i, ${others} FROM places, generate_series(4, ${many}) i WHERE event_id = 'first'`,
    });
    const page = await list(events, {
      between: { from: at(30 * 24 - 2), to: at(32 * 24) },
      order: 'start',
      expand: true,
      limit: 1000,
    });
    expect(page.entries).toHaveLength(many - 2);
    expect(page.entries.map((entry) => entry.at)).toEqual(
      page.entries.map((entry) => entry.at).toSorted((a, b) => a - b),
    );
    expect(idsOf(page.series)).toEqual(['daily']);
  });
});
