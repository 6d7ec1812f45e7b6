import { jest } from '@jest/globals';
import pg from 'pg';
import {
  alice,
  at,
  between,
  bob,
  change,
  daily,
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
import { startOfTime } from '../../contracts/samples.ts';
import type { MailStores } from '../../contracts/mail-samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { layouts, sharedServer } from './stores.ts';

describeWithPostgres('a page that was read before', () =>
  describe.each(layouts)('from tables that are asked %s', (layout) => {
    const { makeEventStores, eventStores, database } = sharedServer(layout);
    let stores: MailStores;
    beforeEach(async () => {
      stores = await makeEventStores(() => startOfTime);
      await putCalendar(stores.calendars, sampleCalendar(alice));
      for (const hour of [1, 2, 3])
        await put(
          stores.events,
          sampleEvent(`at ${hour}`, { core: { summary: `at ${hour}`, ...between(hour, hour + 1) } }),
        );
    });

    // What is known is known to the process: each layout asks for pages of its own.
    const week = {
      between: { from: at(0), to: at(24) },
      order: 'start',
      expand: true,
      limit: 50 + layouts.indexOf(layout),
    } as const;

    /** What a list shows, and how many bodies came with it. */
    async function read(
      query: object = week,
    ): Promise<{ readonly summaries: readonly unknown[]; readonly bodies: number }> {
      const answers: Promise<{ rows: { body: unknown }[] }>[] = [];
      const query0 = pg.Client.prototype.query;
      const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        ...values: unknown[]
      ) {
        const answer = (query0 as (...all: unknown[]) => unknown).apply(this, values);
        if (
          (values[0] as { name?: string }).name?.startsWith(
            layout === 'spread' ? 'marked bodies' : 'list events',
          )
        )
          answers.push(answer as (typeof answers)[number]);
        return answer as never;
      });
      const { entries, series } = await list(stores.events, query).finally(() => spy.mockRestore());
      const bodies = (await Promise.all(answers)).flatMap(({ rows }) =>
        rows.filter(({ body }) => body !== null),
      ).length;
      return { summaries: [...entries, ...series].map(({ record }) => record.core.summary), bodies };
    }

    const stored = (id: string) =>
      stores.events
        .events([{ calendarId: alice, eventId: id }])
        .then(([found]) => found?.record as Parameters<typeof change>[1]);
    const rename = async (id: string, summary: string, { events } = stores) =>
      change(events, await stored(id), (record) => withCore(record, { ...record.core, summary }));

    test('comes without the bodies that have not changed since', async () => {
      expect(await read()).toEqual({ summaries: ['at 1', 'at 2', 'at 3'], bodies: 3 });
      expect(await read()).toEqual({ summaries: ['at 1', 'at 2', 'at 3'], bodies: 0 });
      await rename(
        'at 2',
        'later',
        eventStores(() => startOfTime),
      );
      await put(stores.events, sampleEvent('at 4', { core: { summary: 'new', ...between(4, 5) } }));
      expect(await read()).toEqual({ summaries: ['at 1', 'later', 'at 3', 'new'], bodies: 2 });
      expect(await read()).toEqual({ summaries: ['at 1', 'later', 'at 3', 'new'], bodies: 0 });
    });

    test('has the series of its instances as it is now', async () => {
      const series = await put(
        stores.events,
        withCopy(
          { ...sampleEvent('daily', { core: { ...daily, ...between(5, 6), summary: 'daily' } }), version: 0 },
          bob,
        ),
      );
      await put(
        stores.events,
        sampleException(series, noonOn(1), { core: { summary: 'exception', ...between(7, 8) } }),
      );
      const everything = { order: 'position' } as const;
      const seriesOf = async (): Promise<unknown[]> =>
        (await list(stores.events, everything)).entries.flatMap(({ series: own }) => own?.core.summary ?? []);
      expect([await seriesOf(), await seriesOf()]).toEqual([['daily'], ['daily']]);
      await rename(
        'daily',
        'renamed',
        eventStores(() => startOfTime),
      );
      expect([await seriesOf(), await seriesOf()]).toEqual([['renamed'], ['renamed']]);
    });

    test.each([
      [
        'by a release that knows no marks',
        `version = version + 1, body = jsonb_set(body, '{core,summary}', '"written"')`,
      ],
      ['without a mark', `body = jsonb_set(body - 'w', '{core,summary}', '"written"')`],
      [
        'otherwise under the same version, as after a failover',
        `body = jsonb_set(jsonb_set(body, '{core,summary}', '"written"'), '{w}', ('"' || version::text || '.another"')::jsonb)`,
      ],
    ])('shows what was written %s', async (_how, write) => {
      await read();
      await read();
      await database().query({ text: `UPDATE events SET ${write} WHERE body #>> '{core,summary}' = 'at 2'` });
      for (let times = 0; times < 2; times += 1)
        expect((await read()).summaries).toEqual(['at 1', 'written', 'at 3']);
    });
  }),
);
