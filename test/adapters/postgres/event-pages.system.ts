import {
  instantAt,
  timesBetween,
  changeEvent,
  dailyCore,
  idsOf,
  readEventPage,
  noonOn,
  putEvent,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
  alice,
  bob,
} from '../../contracts/event-samples.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

describeWithPostgres('a page of events', () => {
  const { makeEventStores, createEventStores, database } = useSharedServer();
  const clock = () => startOfTime;
  let stores: MailStores;
  beforeEach(async () => {
    stores = await makeEventStores(clock);
    await putCalendar(stores.calendars, sampleCalendar(alice));
  });

  const listSummaries = async (query: object): Promise<unknown[]> => {
    const { entries, series } = await readEventPage(stores.events, query);
    return [...entries, ...series].map(({ record }) => record.core.summary);
  };
  /** Renames an event through another gateway. */
  async function renameEvent(id: string, summary: string): Promise<void> {
    const [entry] = await stores.events.events([{ calendarId: alice, eventId: id }]);
    if (!entry) throw new Error(`there is no event ${id}`);
    await changeEvent(createEventStores(clock).events, entry.record, (record) =>
      withCore(record, { summary }),
    );
  }

  describe('that is read again', () => {
    const week = {
      between: { from: instantAt(0), to: instantAt(24) },
      order: 'start',
      expandsSeries: true,
      limit: 50,
    } as const;
    beforeEach(async () => {
      for (const hour of [1, 2, 3])
        await putEvent(
          stores.events,
          sampleEvent(`at ${hour}`, { core: { summary: `at ${hour}`, ...timesBetween(hour, hour + 1) } }),
        );
      for (let times = 0; times < 2; times += 1)
        expect(await listSummaries(week)).toEqual(['at 1', 'at 2', 'at 3']);
    });
    const expectSummaries = async (...expected: string[]): Promise<void> => {
      for (let times = 0; times < 2; times += 1) expect(await listSummaries(week)).toEqual(expected);
    };

    test('shows changes by another gateway', async () => {
      await renameEvent('at 2', 'later');
      await putEvent(stores.events, sampleEvent('at 4', { core: { summary: 'new', ...timesBetween(4, 5) } }));
      await expectSummaries('at 1', 'later', 'at 3', 'new');
    });

    test('shows instances with the latest state of their series', async () => {
      const series = await putEvent(
        stores.events,
        withCopy({ ...sampleEvent('daily', { core: { ...dailyCore, summary: 'daily' } }), version: 0 }, bob),
      );
      await putEvent(stores.events, sampleException(series, noonOn(1), { core: timesBetween(7, 8) }));
      const listSeriesSummaries = async (): Promise<unknown[]> =>
        (await readEventPage(stores.events, { order: 'position' })).entries.flatMap(
          (entry) => entry.series?.core.summary ?? [],
        );
      expect([await listSeriesSummaries(), await listSeriesSummaries()]).toEqual([['daily'], ['daily']]);
      await renameEvent('daily', 'renamed');
      expect([await listSeriesSummaries(), await listSeriesSummaries()]).toEqual([['renamed'], ['renamed']]);
    });

    const setSummarySql = (body: string): string => `jsonb_set(${body}, '{core,summary}', '"written"')`;
    test.each([
      ['by a release without marks', `version = version + 1, body = ${setSummarySql('body')}`],
      ['without the mark `w` of its version', `body = ${setSummarySql("body - 'w'")}`],
      [
        'under the same version, as after a failover',
        `body = jsonb_set(${setSummarySql('body')}, '{w}', ('"' || version::text || '.another"')::jsonb)`,
      ],
    ])('shows a record that was written %s', async (_case, write) => {
      await database().query({
        text: `UPDATE events SET ${write} WHERE body #>> '{core,summary}' = 'at 2'`,
      });
      await expectSummaries('at 1', 'written', 'at 3');
    });
  });

  test('has all events of its range in order, also beyond the 500 of one read', async () => {
    const eventCount = 510;
    const series = await putEvent(
      stores.events,
      sampleEvent('daily', { core: { ...dailyCore, ...timesBetween(5, 6) } }),
    );
    // Only the exception of the series is inside the requested range.
    await putEvent(stores.events, sampleException(series, noonOn(1), { core: timesBetween(720, 721) }));
    await putEvent(stores.events, sampleEvent('first', { core: timesBetween(719, 722) }));
    const copyNumbersSql = `generate_series(1, ${eventCount - 1}) i`;
    await database().query({
      text: `INSERT INTO events (home_id, key, version, body) SELECT home_id, key || i, version, body || jsonb_build_object('key', key || i) FROM events, ${copyNumbersSql} WHERE key IN (SELECT key FROM places WHERE event_id = 'first')`,
    });
    const { rows } = await database().pool.query<{ name: string }>(
      "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'places' AND is_generated = 'NEVER' AND column_name NOT IN ('event_id', 'key', 'position', 'start_ms')",
    );
    const otherColumns = rows.map(({ name }) => name).join(', ');
    await database().query({
      text: `INSERT INTO places (event_id, key, position, start_ms, ${otherColumns}) SELECT event_id || i, key || i, 1000 - i, start_ms + i, ${otherColumns} FROM places, ${copyNumbersSql} WHERE event_id = 'first'`,
    });
    const page = await readEventPage(stores.events, {
      between: { from: instantAt(718), to: instantAt(768) },
      order: 'start',
      expandsSeries: true,
      limit: 1000,
    });
    const starts = page.entries.map((entry) => entry.at);
    expect([starts.length, starts]).toEqual([eventCount, starts.toSorted((a, b) => a - b)]);
    expect(idsOf(page.series)).toEqual(['daily']);
  });
});
