import { jest } from '@jest/globals';
import pg from 'pg';
import type { MailStores } from '../../contracts/mail-samples.ts';
import {
  alice,
  bob,
  carol,
  change,
  daily,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
} from '../../contracts/event-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('what a change sends where tables are spread', () => {
  const { makeEventStores, database } = sharedServer('spread');
  let stores: MailStores;
  beforeEach(async () => {
    stores = await makeEventStores(() => startOfTime);
    for (const id of [alice, bob, carol]) await putCalendar(stores.calendars, sampleCalendar(id));
  });

  /** The statements of each round trip. */
  async function tripsOf(work: () => Promise<unknown>): Promise<string[][]> {
    const trips: string[][] = [];
    const query = pg.Client.prototype.query;
    let isNew = true;
    const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...values: unknown[]
    ) {
      const [statement] = values as [string | { text: string; name?: string }];
      // A text alone is what a new connection begins with.
      const { text = '', name }: { text?: string; name?: string } =
        typeof statement === 'string' ? {} : statement;
      if (text && !text.includes('pg_notify')) {
        if (isNew) trips.push([]);
        isNew = false;
        trips.at(-1)?.push(name?.replace(/ [0-9a-f]{16}$/, '') ?? text);
      }
      const answer = (query as (...all: unknown[]) => unknown).apply(this, values);
      if (answer instanceof Object && 'then' in answer)
        void (answer as Promise<unknown>).then(
          () => (isNew = true),
          () => (isNew = true),
        );
      return answer as never;
    });
    await work().finally(() => spy.mockRestore());
    return trips;
  }

  test('is one statement to load and one to store, for an event on its home alone', async () => {
    const event = await put(
      stores.events,
      sampleEvent('lunch', { core: { attendees: [{ email: 'guest@example.org' }] } }),
    );
    const rename = () =>
      change(stores.events, event, (stored) => withCore(stored, { summary: 'Late lunch' }));
    expect(await tripsOf(rename)).toEqual([['load for change'], ['replace event, refresh entry']]);
    expect((await stores.events.events([{ calendarId: alice, eventId: 'lunch' }]))[0]?.record).toMatchObject({
      version: 2,
      core: { summary: 'Late lunch' },
    });
  });

  test('is one statement for each calendar that has it, and one more step to load their zones', async () => {
    const event = await put(
      stores.events,
      withCopy(withCopy({ ...sampleEvent('lunch'), version: -1 }, bob), carol),
    );
    const rename = () =>
      change(stores.events, event, (stored) => withCore(stored, { summary: 'Late lunch' }));
    expect(await tripsOf(rename)).toEqual([
      ['load for change'],
      ['zone of calendar', 'zone of calendar'],
      ['BEGIN', 'replace event, refresh entry', 'refresh entry', 'refresh entry', 'COMMIT'],
    ]);
  });

  test('an event is taken to another home with its exceptions', async () => {
    const series = await put(
      stores.events,
      withCopy({ ...sampleEvent('standup', { core: daily }), version: 0 }, bob),
    );
    const exceptions = [
      await put(stores.events, sampleException(series, noonOn(2))),
      await put(stores.events, sampleException(series, noonOn(3))),
    ];
    const moved = await change(stores.events, series, (stored) => ({
      ...withCore(stored, { summary: 'Moved' }),
      homeId: bob,
    }));
    const [state] = await stores.events.exceptionsOf([moved]);
    expect([state?.record, new Set(state?.exceptions.map(({ key }) => key))]).toEqual([
      moved,
      new Set(exceptions.map(({ key }) => key)),
    ]);
    expect(
      await database().query({
        text: 'SELECT home_id, count(*)::int AS events, sum(family)::int AS revisions FROM events GROUP BY 1',
      }),
    ).toEqual([{ home_id: bob, events: 3, revisions: 2 }]);
    expect(await database().query({ text: 'SELECT DISTINCT home_id FROM places' })).toEqual([
      { home_id: bob },
    ]);
  });
});
