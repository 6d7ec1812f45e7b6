import {
  alice,
  at,
  between,
  bob,
  change,
  daily,
  idsOf,
  list,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
} from '../../contracts/event-samples.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('a page of events', () => {
  const { makeEventStores, eventStores, database } = sharedServer();
  const clock = () => startOfTime;
  let stores: MailStores;
  beforeEach(async () => {
    stores = await makeEventStores(clock);
    await putCalendar(stores.calendars, sampleCalendar(alice));
  });

  const summaries = async (query: object): Promise<unknown[]> => {
    const { entries, series } = await list(stores.events, query);
    return [...entries, ...series].map(({ record }) => record.core.summary);
  };
  /** Changes an event through another gateway. */
  async function rename(id: string, summary: string): Promise<void> {
    const [found] = await stores.events.events([{ calendarId: alice, eventId: id }]);
    if (!found) throw new Error(`there is no event ${id}`);
    await change(eventStores(clock).events, found.record, (record) => withCore(record, { summary }));
  }

  describe('that is read again', () => {
    const week = {
      between: { from: at(0), to: at(24) },
      order: 'start',
      expand: true,
      limit: 50,
    } as const;
    beforeEach(async () => {
      for (const hour of [1, 2, 3])
        await put(
          stores.events,
          sampleEvent(`at ${hour}`, { core: { summary: `at ${hour}`, ...between(hour, hour + 1) } }),
        );
      for (let times = 0; times < 2; times += 1)
        expect(await summaries(week)).toEqual(['at 1', 'at 2', 'at 3']);
    });
    const isShown = async (...expected: string[]): Promise<void> => {
      for (let times = 0; times < 2; times += 1) expect(await summaries(week)).toEqual(expected);
    };

    test('shows what another gateway changed', async () => {
      await rename('at 2', 'later');
      await put(stores.events, sampleEvent('at 4', { core: { summary: 'new', ...between(4, 5) } }));
      await isShown('at 1', 'later', 'at 3', 'new');
    });

    test('shows instances with their series as it is now', async () => {
      const series = await put(
        stores.events,
        withCopy({ ...sampleEvent('daily', { core: { ...daily, summary: 'daily' } }), version: 0 }, bob),
      );
      await put(stores.events, sampleException(series, noonOn(1), { core: between(7, 8) }));
      const seriesOf = async (): Promise<unknown[]> =>
        (await list(stores.events, { order: 'position' })).entries.flatMap(
          ({ series: own }) => own?.core.summary ?? [],
        );
      expect([await seriesOf(), await seriesOf()]).toEqual([['daily'], ['daily']]);
      await rename('daily', 'renamed');
      expect([await seriesOf(), await seriesOf()]).toEqual([['renamed'], ['renamed']]);
    });

    const written = (body: string): string => `jsonb_set(${body}, '{core,summary}', '"written"')`;
    test.each([
      ['by a release that knows no marks', `version = version + 1, body = ${written('body')}`],
      ['without a mark', `body = ${written("body - 'w'")}`],
      [
        'under the same version, as after a failover',
        `body = jsonb_set(${written('body')}, '{w}', ('"' || version::text || '.another"')::jsonb)`,
      ],
    ])('shows what was written %s', async (_how, write) => {
      await database().query({
        text: `UPDATE events SET ${write} WHERE body #>> '{core,summary}' = 'at 2'`,
      });
      await isShown('at 1', 'written', 'at 3');
    });
  });

  test('has all events of a short time in order, also beyond the 500 that are read at once', async () => {
    const many = 510;
    const series = await put(stores.events, sampleEvent('daily', { core: { ...daily, ...between(5, 6) } }));
    // Only the exception of the series lies in the time that is asked for.
    await put(stores.events, sampleException(series, noonOn(1), { core: between(720, 721) }));
    await put(stores.events, sampleEvent('first', { core: between(719, 722) }));
    const copies = `generate_series(1, ${many - 1}) i`;
    await database().query({
      text: `INSERT INTO events (home_id, key, version, body) SELECT home_id, key || i, version, body || jsonb_build_object('key', key || i) FROM events, ${copies} WHERE key IN (SELECT key FROM places WHERE event_id = 'first')`,
    });
    const { rows } = await database().pool.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'places' AND is_generated = 'NEVER' AND column_name NOT IN ('event_id', 'key', 'position', 'start_ms')",
    );
    const others = rows.map(({ name }) => name).join(', ');
    await database().query({
      text: `INSERT INTO places (event_id, key, position, start_ms, ${others}) SELECT event_id || i, key || i, 1000 - i, start_ms + i, ${others} FROM places, ${copies} WHERE event_id = 'first'`,
    });
    const page = await list(stores.events, {
      between: { from: at(718), to: at(768) },
      order: 'start',
      expand: true,
      limit: 1000,
    });
    const starts = page.entries.map((entry) => entry.at);
    expect([starts.length, starts]).toEqual([many, starts.toSorted((a, b) => a - b)]);
    expect(idsOf(page.series)).toEqual(['daily']);
  });
});
