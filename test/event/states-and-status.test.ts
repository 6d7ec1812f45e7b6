import { alice, berlin, bob, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const zoned = (day: string, time = '10:00') => ({ dateTime: `2026-12-${day}T${time}:00+01:00`, timeZone: berlin });
const weekly = { start: zoned('01'), end: zoned('01', '11:00'), recurrence: ['RRULE:FREQ=WEEKLY;COUNT=5'] };
const attendees = [{ email: bob }];
const told = (event: object) => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();
const idOnly = ['etag', 'id', 'kind', 'status', 'updated'];

describe('the states of an event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const make = async (body: object = {}): Promise<string> => {
    const { event, problems } = await gateway.insert({ summary: 'Planning', ...hour, attendees, ...body });
    expect(problems).toEqual([]);
    return event.id;
  };
  const on = async (calendarId: string, id: string) => (await gateway.read(id, { as: calendarId })).event;
  const change = async (id: string, body: object, as = alice): Promise<Outcome> => {
    const answer = await gateway.patch(id, body, { as });
    expect(answer.problems).toEqual([]);
    return answer;
  };

  describe('status', () => {
    test('is confirmed unless told', async () => {
      expect(await on(alice, await make())).toMatchObject({ status: 'confirmed', sequence: 0 });
      expect(await on(alice, await make({ status: 'tentative' }))).toMatchObject({ status: 'tentative', sequence: 0 });
    });

    test.each([
      ['confirmed', 'tentative'], ['confirmed', 'cancelled'], ['tentative', 'confirmed'], ['tentative', 'cancelled'],
      ['cancelled', 'confirmed'], ['cancelled', 'tentative'],
    ])('goes from %s to %s, as a new revision that all copies show', async (from, to) => {
      const id = await make({ status: from });
      const { event } = await change(id, { status: to });
      expect(event).toMatchObject({ status: to, sequence: 1, summary: 'Planning' });
      expect(await on(alice, id)).toEqual(event);
      expect(await on(bob, id)).toMatchObject({ status: to });
    });

    test('null makes it confirmed, also from cancelled', async () => {
      for (const status of ['tentative', 'cancelled']) {
        expect((await change(await make({ status }), { status: null })).event).toMatchObject({ status: 'confirmed', sequence: 1 });
      }
    });
  });

  describe('a cancelled event', () => {
    test.each<[string, object]>([
      ['another title', { summary: 'Other' }],
      ["this copy's colour", { colorId: '1' }],
      ['cancelling once more', { status: 'cancelled' }],
      ['cancelling with another title', { status: 'cancelled', summary: 'Other' }],
      ['an empty patch', {}],
      ['a read-only field', { kind: 'calendar#event' }],
    ])('refuses %s', async (_name, body) => {
      const id = await make({ status: 'cancelled' });
      const before = await gateway.stored(id);
      const answer = await gateway.patch(id, body);
      expect(answer.problems).toEqual(['FORBIDDEN event.status forbidden']);
      expect(answer.errors?.[0]?.extensions.issues[0]?.message).toContain('Restore it with status');
      expect(await gateway.stored(id)).toBe(before);
    });

    test('keeps its details on the organizer\'s calendar, and only its id on a guest\'s', async () => {
      const id = await make();
      const before = await on(alice, id);
      await change(id, { status: 'cancelled' });
      const { etag: _etag, updated: _updated, ...kept } = await on(alice, id);
      expect(before).toMatchObject({ ...kept, status: 'confirmed', sequence: 0 });
      expect(told(await on(bob, id))).toEqual(idOnly);
    });

    test('can be restored with other changes at once, and by its organizer only', async () => {
      const id = await make({ guestsCanModify: true });
      await change(id, { status: 'cancelled' });
      for (const body of [{ status: 'confirmed' }, { status: 'tentative' }, { status: 'cancelled' }, { colorId: '1' }, {}]) {
        expect((await gateway.patch(id, body, { as: bob })).problems).toEqual(['FORBIDDEN event.status forbidden']);
      }
      await change(id, { status: 'tentative', summary: 'Again' });
      expect(await on(bob, id)).toMatchObject({ status: 'tentative', summary: 'Again', sequence: 2 });
    });
  });

  describe('a guest who takes an event off the own calendar', () => {
    test('leaves it to all others, and keeps its details for restoration', async () => {
      const id = await make();
      const [before, own] = [await on(alice, id), await on(bob, id)];
      const { event } = await change(id, { status: 'cancelled' }, bob);
      expect(event).toEqual({ ...own, status: 'cancelled', etag: expect.any(String), updated: expect.any(String) });
      expect(await on(bob, id)).toEqual(event);
      expect(await on(alice, id)).toEqual(before);
    });

    test('cannot change it then but by restoring it', async () => {
      const id = await make();
      await change(id, { status: 'cancelled', colorId: '4' }, bob);
      for (const body of [{}, { colorId: '1' }, { status: 'cancelled' }, { attendeesOmitted: true, attendees: [{ email: bob, comment: 'x' }] }]) {
        expect((await gateway.patch(id, body, { as: bob })).problems).toEqual(['FORBIDDEN event.status forbidden']);
      }
      const { event, notes } = await change(id, { status: 'confirmed', transparency: 'transparent' }, bob);
      expect(event).toMatchObject({ status: 'confirmed', colorId: '4', transparency: 'transparent', sequence: 0 });
      expect(notes).toEqual([]);
    });

    test.each([
      ['confirmed', 'confirmed', []],
      ['tentative', 'tentative', []],
      ['confirmed', 'tentative', ['event.status ignored']],
      ['tentative', 'confirmed', ['event.status ignored']],
      ['tentative', null, ['event.status ignored']],
    ])('gets a %s event back with status: %s', async (status, asked, notes) => {
      const id = await make({ status });
      await change(id, { status: 'cancelled' }, bob);
      const answer = await change(id, { status: asked }, bob);
      expect(answer.event).toMatchObject({ status, sequence: 0 });
      expect(answer.notes).toEqual(notes);
      expect(await on(alice, id)).toMatchObject({ status });
    });

    test('sets the status of all copies when guests can modify', async () => {
      const id = await make({ guestsCanModify: true });
      await change(id, { status: 'cancelled' }, bob);
      expect((await change(id, { status: 'tentative' }, bob)).event).toMatchObject({ status: 'tentative', sequence: 1 });
      expect(await on(alice, id)).toMatchObject({ status: 'tentative', sequence: 1 });
    });

    test('sees what the organizer changes meanwhile, and its end', async () => {
      const id = await make();
      await change(id, { status: 'cancelled' }, bob);
      await change(id, { summary: 'Other' });
      expect(await on(bob, id)).toMatchObject({ status: 'cancelled', summary: 'Other' });
      await change(id, { status: 'cancelled' });
      expect(told(await on(bob, id))).toEqual(idOnly);
      await change(id, { status: 'confirmed' });
      expect(await on(bob, id)).toMatchObject({ status: 'cancelled', summary: 'Other' });
    });
  });

  describe('a cancelled instance of a recurring event', () => {
    const cancelOne = async (body: object = {}) => {
      const recurringEventId = await make(weekly);
      const exception = { recurringEventId, originalStartTime: zoned('08'), start: zoned('08'), end: zoned('08', '11:00') };
      const answer = await gateway.insert({ ...exception, status: 'cancelled', attendees, ...body });
      expect(answer.problems).toEqual([]);
      return { recurringEventId, answer };
    };

    test('says which instance it is, and shares the iCalUID; the series goes on', async () => {
      const { recurringEventId, answer } = await cancelOne();
      const series = await on(alice, recurringEventId);
      const { event } = answer;
      expect(event).toMatchObject({
        id: `${recurringEventId}_20261208T090000Z`, status: 'cancelled', recurringEventId, originalStartTime: zoned('08'), iCalUID: series.iCalUID,
      });
      expect(series).toMatchObject({ status: 'confirmed', recurrence: weekly.recurrence });
    });

    test('keeps recurringEventId and originalStartTime on a guest\'s calendar', async () => {
      const { recurringEventId, answer } = await cancelOne();
      const copy = await on(bob, answer.event.id);
      expect(told(copy)).toEqual([...idOnly, 'originalStartTime', 'recurringEventId'].sort());
      expect(copy).toMatchObject({ recurringEventId, originalStartTime: zoned('08') });
    });

    test('can be restored', async () => {
      const { answer } = await cancelOne();
      expect((await change(answer.event.id, { status: 'confirmed' })).event).toMatchObject({ status: 'confirmed', sequence: 1 });
    });
  });

  describe('sequence', () => {
    test.each<[string, object]>([
      ['start', { start: { dateTime: '2026-12-01T10:30:00+01:00' } }],
      ['end', { end: { dateTime: '2026-12-01T11:30:00+01:00' } }],
      ['the zone of the start', { start: { timeZone: berlin } }],
      ['start and end at once', { start: { dateTime: '2026-12-02T10:00:00+01:00' }, end: { dateTime: '2026-12-02T11:00:00+01:00' } }],
      ['recurrence', { start: { timeZone: berlin }, end: { timeZone: berlin }, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] }],
      ['status', { status: 'tentative' }],
      ['all of them', { ...weekly, status: 'tentative' }],
    ])('is raised by one with a change of %s', async (_name, body) => {
      const id = await make({ sequence: 3 });
      expect((await change(id, body)).event.sequence).toBe(4);
    });

    test('is raised when the recurrence is cleared, and not when there was none', async () => {
      const id = await make(weekly);
      expect((await change(id, { recurrence: null })).event.sequence).toBe(1);
      expect((await change(id, { recurrence: null })).event.sequence).toBe(1);
      expect((await change(id, { recurrence: [] })).event.sequence).toBe(1);
    });

    test.each<[string, object]>([
      ['the same start', { start: hour.start }],
      ['the same status', { status: 'confirmed' }],
      ['summary', { summary: 'Other' }],
      ['location and description', { location: 'x', description: 'y' }],
      ['attendees', { attendees: [] }],
      ["this copy's fields", { colorId: '1', transparency: 'transparent', reminders: { useDefault: true } }],
    ])('is not raised with %s', async (_name, body) => {
      expect((await change(await make({ sequence: 3 }), body)).event.sequence).toBe(3);
    });

    test.each([
      [2, {}, 'BAD_USER_INPUT event.sequence invalid'], [3, {}, 3], [4, {}, 4], [9, { status: 'tentative' }, 9], [4, { status: 'tentative' }, 4],
      [3, { status: 'tentative' }, 4], [2, { status: 'tentative' }, 'BAD_USER_INPUT event.sequence invalid'], [null, {}, 'BAD_USER_INPUT event.sequence invalid'],
    ])('of 3: sent %j with %j it becomes %j', async (sequence, more, expected) => {
      const answer = await gateway.patch(await make({ sequence: 3 }), { sequence, ...more });
      expect(answer.problems[0] ?? answer.event.sequence).toBe(expected);
    });
  });
});
