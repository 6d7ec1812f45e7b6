import { berlin, bob, day, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const zoned = (date: string, time: string, timeZone = berlin) => ({ dateTime: `${date}T${time}:00`, timeZone });
const series = {
  summary: 'Stand-up', start: zoned('2026-12-01', '09:00'), end: zoned('2026-12-01', '09:15'), recurrence: ['RRULE:FREQ=DAILY'],
  attendees: [{ email: bob }],
};
const moved = { summary: 'Stand-up, later', start: zoned('2026-12-03', '15:00'), end: zoned('2026-12-03', '15:15') };
const original = zoned('2026-12-03', '09:00');
const refused = (path: string, reason = 'invalid'): string[] => [`BAD_USER_INPUT event.${path} ${reason}`];

describe('an instance of a recurring event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const parent = async (more: object = {}) => (await gateway.insert({ ...series, ...more })).event;
  const insert = (recurringEventId: string, more: object = {}): Promise<Outcome> =>
    gateway.insert({ ...moved, recurringEventId, originalStartTime: original, ...more });
  const names = (event: object): string[] => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();

  test('shares the iCalUID of the recurring event, and has its id from it and the original start', async () => {
    const { id, iCalUID } = await parent();
    const { event, problems } = await insert(id);
    expect(problems).toEqual([]);
    expect(event).toMatchObject({ id: `${id}_20261203T080000Z`, iCalUID, recurringEventId: id, originalStartTime: original, summary: moved.summary });
    const another = (await insert(id, { originalStartTime: zoned('2026-12-04', '09:00') })).event;
    expect(another.id).not.toBe(event.id);
    expect(another.iCalUID).toBe(iCalUID);
  });

  test.each<[string, object]>([
    ['in the zone of the start', original], ['with an offset', { dateTime: '2026-12-03T09:00:00+01:00' }], ['in UTC', { dateTime: '2026-12-03T08:00:00Z' }],
    ['in another zone', zoned('2026-12-03', '03:00', 'America/New_York')], ['with null for the day', { ...original, date: null }],
  ])('exists once, however its original start is written: %s', async (_name, originalStartTime) => {
    const { id } = await parent();
    await insert(id);
    expect((await insert(id, { originalStartTime })).problems).toEqual(['CONFLICT event.originalStartTime duplicate']);
  });

  test('of an all-day event has the day in its id', async () => {
    const { id } = await parent({ ...day, recurrence: ['RRULE:FREQ=DAILY'] });
    const { event } = await insert(id, { ...day, originalStartTime: { date: '2026-12-03' } });
    expect(event).toMatchObject({ id: `${id}_20261203`, originalStartTime: { date: '2026-12-03' } });
  });

  test('may be sent with the iCalUID it will have', async () => {
    const { id, iCalUID } = await parent();
    expect((await insert(id, { iCalUID })).event.iCalUID).toBe(iCalUID);
    expect((await insert(id, { iCalUID: 'another@example.com' })).problems).toEqual(refused('iCalUID'));
  });

  test('may have a chosen id, by the rules for ids', async () => {
    const { id, iCalUID } = await parent();
    expect((await insert(id, { id: 'chosen' })).event).toMatchObject({ id: 'chosen', iCalUID, recurringEventId: id });
    expect((await insert(id, { id: `${id}_20261203T080000Z` })).problems).toEqual(refused('id'));
  });

  describe('is refused', () => {
    test.each<[string, object, string[]]>([
      ['without original start', { originalStartTime: null }, refused('originalStartTime', 'required')],
      ['with an empty original start', { originalStartTime: {} }, refused('originalStartTime', 'required')],
      ['with nulls for an original start', { originalStartTime: { date: null, dateTime: null } }, refused('originalStartTime', 'required')],
      ['with a zone for an original start', { originalStartTime: { timeZone: berlin } }, refused('originalStartTime', 'required')],
      ['with a day for a timed event', { originalStartTime: { date: '2026-12-03' } }, refused('originalStartTime')],
      ['that recurs itself', { recurrence: ['RRULE:FREQ=DAILY'] }, refused('recurrence')],
    ])('%s', async (_name, more, problems) => {
      const { id } = await parent();
      expect((await insert(id, more)).problems).toEqual(problems);
    });

    test('of an event that does not exist, or is on another calendar', async () => {
      const his = (await gateway.insert({ ...series, attendees: [] }, { as: bob })).event.id;
      for (const id of ['unknown', '', his]) expect((await insert(id)).problems).toEqual(refused('recurringEventId'));
    });

    test('of an event that does not recur, of an instance, of a cancelled event', async () => {
      const single = (await parent({ recurrence: null })).id;
      const { id } = await parent();
      const instance = (await insert(id)).event.id;
      const cancelled = (await parent()).id;
      await gateway.patch(cancelled, { status: 'cancelled' });
      for (const wrong of [single, instance, cancelled]) expect((await insert(wrong)).problems).toEqual(refused('recurringEventId'));
    });

    test('of an event the guest was taken off, or took off the own calendar', async () => {
      const [uninvited, removed] = [(await parent()).id, (await parent()).id];
      await gateway.patch(uninvited, { attendees: [] });
      await gateway.patch(removed, { status: 'cancelled' }, { as: bob });
      for (const recurringEventId of [uninvited, removed]) {
        const answer = await gateway.insert({ ...moved, recurringEventId, originalStartTime: original }, { as: bob });
        expect(answer.problems).toEqual(refused('recurringEventId'));
      }
    });

    test('an original start without a recurring event; nulls of it are nothing', async () => {
      const { problems } = await gateway.insert({ ...moved, originalStartTime: original });
      expect(problems).toEqual(refused('originalStartTime'));
      const empty = { recurringEventId: null, originalStartTime: { date: null, dateTime: null, timeZone: null } };
      expect((await gateway.insert({ ...moved, ...empty })).problems).toEqual([]);
    });
  });

  describe('cancelled', () => {
    test('keeps its details for the organizer, and id, recurringEventId and originalStartTime on a guest’s copy', async () => {
      const { id } = await parent();
      const { event } = await insert(id, { attendees: [{ email: bob }] });
      await gateway.patch(event.id, { status: 'cancelled' });
      expect((await gateway.read(event.id)).event).toMatchObject({ summary: moved.summary, status: 'cancelled', recurringEventId: id });
      const left = (await gateway.read(event.id, { as: bob })).event;
      expect(names(left)).toEqual(['etag', 'id', 'kind', 'originalStartTime', 'recurringEventId', 'status', 'updated']);
      expect(left).toMatchObject({ status: 'cancelled', recurringEventId: id, originalStartTime: original });
    });

    test('can be made so, which leaves the date out of the series', async () => {
      const { id } = await parent();
      const { event, problems } = await insert(id, { status: 'cancelled' });
      expect({ problems, status: event.status }).toEqual({ problems: [], status: 'cancelled' });
      expect((await gateway.read(id)).event.status).toBe('confirmed');
      expect((await gateway.patch(event.id, { status: 'confirmed' })).event).toMatchObject({ status: 'confirmed', summary: moved.summary });
    });

    test('is kept while the recurring event lives, and shown to those who follow changes', async () => {
      const list = `query ($syncToken: String) { result: events(calendarId: "primary", syncToken: $syncToken) { nextSyncToken nodes { id status summary recurringEventId originalStartTime { dateTime } } } }`;
      const { id } = await parent();
      const { event } = await insert(id);
      const { nextSyncToken } = (await gateway.run(list, {})).event;
      await gateway.patch(event.id, { status: 'cancelled' });
      expect((await gateway.run(list, { syncToken: nextSyncToken })).event.nodes).toEqual([
        { id: event.id, status: 'cancelled', summary: null, recurringEventId: id, originalStartTime: { dateTime: original.dateTime } },
      ]);
    });
  });

  test('what makes it an instance cannot be changed later', async () => {
    const { id } = await parent();
    const { event } = await insert(id);
    expect((await gateway.patch(event.id, { recurringEventId: null })).problems).toEqual(refused('recurringEventId', 'immutable'));
    expect((await gateway.patch(event.id, { originalStartTime: zoned('2026-12-04', '09:00') })).problems).toEqual(refused('originalStartTime', 'immutable'));
    expect((await gateway.patch(event.id, event)).event).toEqual(event);
  });
});
