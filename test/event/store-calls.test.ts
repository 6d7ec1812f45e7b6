import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { everyField } from '../selections.ts';
import {
  alice,
  bob,
  carol,
  documents,
  eve,
  many,
  startEvents,
  zoned,
  type EventGateway,
} from './event.harness.ts';

/** A store that notes which of its methods were called. */
function counting<Store extends CalendarStore | EventStore>(store: Store, calls: string[]): Store {
  return new Proxy(store, {
    get(target, name: string) {
      const method = target[name as keyof Store] as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        // Work in the background is no request's.
        if (name !== 'claimJob') calls.push(name);
        return method.apply(target, args);
      };
    },
  });
}

/** A request costs as many round trips as there are calls of the store. */
describe('how often the store is asked', () => {
  const calls: string[] = [];
  let gateway: EventGateway;
  beforeAll(async () => {
    const stores = createMemoryStores(Date.now);
    gateway = await startEvents({
      stores: {
        ...stores,
        calendars: counting(stores.calendars, calls),
        events: counting(stores.events, calls),
      },
    });
    const guests = { attendees: [bob, carol, eve].map((email) => ({ email })) };
    await gateway.make({ id: 'meeting', ...guests });
    await gateway.make({ id: 'series', ...zoned, ...guests, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    // Who has a calendar is looked up once in a minute.
    await gateway.run('{ result: calendars { id } }', {});
    await gateway.run('{ result: calendars { id } }', {}, bob);
    for (let index = 0; index < 20; index += 1) await gateway.make({ summary: `Event ${index}` });
  });
  afterAll(() => gateway.close());
  beforeEach(() => {
    calls.length = 0;
  });

  const guests = { attendees: many(50, (index) => ({ email: `guest${index}@example.org` })) };
  test.each([
    ['of two strings', 'meeting', { summary: 'New', location: 'Here' }, {}],
    ['that changes nothing', 'meeting', {}, {}],
    ['of the guests, which tells all of them', 'meeting', guests, { sendUpdates: 'all' }],
    [
      "of an answer, on the guest's calendar",
      'meeting',
      { attendees: [{ email: bob, responseStatus: 'accepted' }], attendeesOmitted: true },
      { as: bob, sendUpdates: 'all' },
    ],
    ['of an instance', 'series_20261202T090000Z', { summary: 'New' }, { sendUpdates: 'all' }],
    ['that is refused', 'meeting', { colorId: '99' }, {}],
  ])('a patch %s asks once', async (_what, eventId, body, controls) => {
    await gateway.patch(eventId, body, {
      calendarId: alice,
      ...controls,
      ...('as' in controls && { calendarId: controls.as }),
    });
    expect(calls).toEqual(['changeEvent']);
  });

  test('a patch that tells those outside asks once as well', async () => {
    await gateway.patch('meeting', { summary: 'Newer' }, { sendUpdates: 'externalOnly' });
    expect(calls).toEqual(['changeEvent']);
  });

  test('an insert asks once, also with guests and a request id, and when it is sent again', async () => {
    for (const body of [
      guests,
      { iCalUID: 'mine@example.org' },
      { recurringEventId: 'series', originalStartTime: { dateTime: '2026-12-03T09:00:00Z' } },
    ]) {
      for (let count = 0; count < 2; count += 1) {
        const { problems } = await gateway.insert(
          { ...zoned, ...body },
          { calendarId: alice, requestId: Object.keys(body).join() },
        );
        expect(problems).toEqual([]);
      }
    }
    expect(calls).toEqual(Array.from({ length: 6 }, () => 'changeEvent'));
  });

  const page = `query ($more: Int, $expand: Boolean, $order: EventOrder, $q: String, $showDeleted: Boolean) {
    result: events(calendarId: "primary", first: $more, singleEvents: $expand, orderBy: $order, q: $q, showDeleted: $showDeleted) { nodes ${everyField('Event')} nextSyncToken } }`;
  test.each([
    ['', {}, []],
    ['of a few', { more: 5 }, []],
    ['with cancelled ones', { showDeleted: true }, []],
    ['by the last change', { order: 'updated' }, []],
    ['of instances', { expand: true, more: 10 }, ['exceptionsOf']],
    ['of instances by start', { expand: true, order: 'startTime', more: 10 }, ['exceptionsOf']],
    ['of what is searched for', { q: 'event 7' }, []],
  ])(
    'a page %s asks once for its calendar with its events, with all their fields',
    async (_what, variables, more) => {
      const { event, problems } = await gateway.run(page, variables);
      expect(problems).toEqual([]);
      expect(event.nodes.length).toBeGreaterThan(0);
      expect(calls).toEqual(['listCalendar', ...more]);
    },
  );

  test('a page of the instances of a series asks once for the calendar, the series and its exceptions', async () => {
    const { event } = await gateway.run(
      '{ result: instances(calendarId: "primary", eventId: "series") { nodes { id } } }',
      {},
    );
    expect(event.nodes).toHaveLength(5);
    expect(calls).toEqual(['calendars', 'events', 'exceptionsOf']);
  });

  test('reads side by side ask together', async () => {
    const many = `{ ${['meeting', 'series', 'meeting'].map((id, index) => `e${index}: event(calendarId: "${alice}", eventId: "${id}") { id }`).join(' ')} }`;
    expect((await gateway.run(many, {})).data).toEqual({
      e0: { id: 'meeting' },
      e1: { id: 'series' },
      e2: { id: 'meeting' },
    });
    // What takes long, as a document may when it is seen first, gives way to others between two fields.
    calls.length = 0;
    await gateway.run(many, {});
    expect(calls).toEqual(['calendars', 'events']);
    calls.length = 0;
    await gateway.run(documents.read, { calendarId: alice, eventId: 'series_20261203T090000Z' });
    expect(calls).toEqual(['calendars', 'events']);
  });
});
