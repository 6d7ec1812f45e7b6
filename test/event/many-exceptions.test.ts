import { WorkBudget } from '../../src/core/runtime/work-budget.ts';
import type { SeriesState } from '../../src/event/event.store.ts';
import { instancesOf } from '../../src/event/list/nodes.ts';
import { selectionOf } from '../../src/event/list/selection.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import type { Viewpoint } from '../../src/event/view/viewpoint.ts';
import { alice, bad, bob, many, startEvents, type EventGateway } from './event.harness.ts';

/** More could be changed of a series in one piece than others can wait for. */
const most = 2500;

describe(`a series of which ${most} instances were changed`, () => {
  let gateway: EventGateway;
  const at = (time: string) => ({ dateTime: `2031-01-01T${time}:00Z`, timeZone: 'UTC' });
  const nth = (index: number): string =>
    `each0hour_${new Date(Date.UTC(2031, 0, 1, index)).toISOString().replaceAll(/[-:]|\.000/g, '')}`;
  beforeAll(async () => {
    gateway = await startEvents();
    await gateway.make({
      id: 'each0hour',
      start: at('00:00'),
      end: at('00:30'),
      location: 'Room 4',
      attendees: [{ email: bob }],
      recurrence: ['RRULE:FREQ=HOURLY;COUNT=9000'],
    });
    for (let from = 0; from < most; from += 100) {
      const fields = many(
        100,
        (index) =>
          `f${index}: patchEvent(calendarId: "primary", eventId: "${nth(from + index)}", event: { summary: "Changed" }) { id }`,
      );
      expect((await gateway.ask(`mutation { ${fields.join(' ')} }`)).errors).toBeUndefined();
    }
  });
  afterAll(() => gateway.close());

  test('is listed a hundred times in one request, and found by what was changed or by its own text', async () => {
    const page = (calendarId: string): string =>
      `events(calendarId: "${calendarId}", singleEvents: true, first: 10) { nodes { id summary location } }`;
    const { data, errors } = await gateway.ask(
      `{ ${many(100, (index) => `f${index}: ${page(bob)}`).join(' ')} }`,
      {},
      { as: bob },
    );
    expect(errors).toBeUndefined();
    expect(data.f99.nodes).toEqual(
      many(10, (index) => ({ id: nth(index), summary: 'Changed', location: 'Room 4' })),
    );
    const search = (q: string): string =>
      `events(calendarId: "${bob}", q: "${q}", singleEvents: true, orderBy: startTime, timeMin: "2031-02-01T00:00:00Z", first: 1) { nodes { id } }`;
    const found = await gateway.ask(
      `{ changed: ${search('changed')} own: ${search('ROOM 4')} none: ${search('nothing')} }`,
      {},
      { as: bob },
    );
    expect([found.errors, found.data]).toEqual([
      undefined,
      { changed: { nodes: [{ id: nth(744) }] }, own: { nodes: [{ id: nth(744) }] }, none: { nodes: [] } },
    ]);
  });

  test.each(['position', 'start'] as const)(
    'in the order of %s has no more of them put together than a page shows',
    async (order) => {
      const { events } = gateway.stores;
      const [stored] = await events.events([{ calendarId: bob, eventId: 'each0hour' }]);
      const [series] = await events.exceptionsOf(stored ? [stored.record] : []);
      expect(series?.exceptions).toHaveLength(most);
      let seen = 0;
      const pointOf = (record: EventRecord): Viewpoint => {
        if (record.instance) seen += 1;
        return { record, copy: record.copies[bob], calendar: { timeZone: 'UTC' } } as Viewpoint;
      };
      const selection = selectionOf({ calendarId: bob, timeMin: '2031-02-01T00:00:00Z' });
      const nodes = await instancesOf(
        { ...(series as SeriesState), position: 1, at: 0 },
        {
          selection,
          zone: 'UTC',
          calendarId: bob,
          order,
          limit: 10,
          after: undefined,
          budget: new WorkBudget(),
          identity: bob,
          pointOf,
        },
      );
      expect([nodes.map(({ key }) => key.original), seen]).toEqual([
        many(10, (index) => nth(744 + index).slice(-16)),
        10,
      ]);
    },
  );

  test('has no more that are changed or cancelled by themselves; those can be changed again, and the series too', async () => {
    const tooMany = ['BAD_USER_INPUT eventId tooMany'];
    expect((await gateway.patch(nth(most), { summary: 'One more' })).problems).toEqual(tooMany);
    expect((await gateway.patch(nth(most), { status: 'cancelled' })).problems).toEqual(tooMany);
    expect(
      (await gateway.patch(nth(most), { summary: 'One more' }, { validateOnly: true })).problems,
    ).toEqual(tooMany);
    expect((await gateway.patch(nth(most), {})).problems).toEqual([]);
    const [start, end] = [most, most + 1].map((index) => ({
      dateTime: new Date(Date.UTC(2031, 0, 1, index)).toISOString(),
    }));
    const { problems } = await gateway.insert(
      { recurringEventId: 'each0hour', originalStartTime: start, start, end },
      { calendarId: alice },
    );
    expect(problems).toEqual([bad('recurringEventId', 'tooMany')]);
    expect((await gateway.change(nth(most - 1), { summary: 'Changed again' })).summary).toBe('Changed again');
    expect((await gateway.change('each0hour', { location: 'Room 5' })).location).toBe('Room 5');
  });
});
