import { alice, berlin, bob, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const rita = 'rita@example.com';
const dana = 'dana@elsewhere.example';
const guests = [{ email: bob }, { email: dana }];
const cancelledFirst = ['FORBIDDEN event.status forbidden'];
const names = (event: object): string[] => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();
const idOnly = ['etag', 'id', 'kind', 'status', 'updated'];
const details = { summary: 'Plan', location: 'Room 1', description: 'Old', extendedProperties: { private: { a: 'b' }, shared: { c: 'd' } } };
const seen = { ...details, attendees: guests, organizer: { email: alice } };

describe('the states of an event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const seed = {
      calendars: [
        { id: alice, owner: alice, timeZone: berlin, acl: [{ email: rita, role: 'reader' }] },
        { id: bob, owner: bob, timeZone: berlin },
      ],
    };
    gateway = await startEvents([], { seed });
  });
  afterAll(() => gateway.close());

  const make = async (more: object = {}): Promise<string> => (await gateway.insert({ ...hour, ...details, attendees: guests, ...more })).event.id;
  const set = (id: string, status: string | null, as = alice, more: object = {}): Promise<Outcome> => gateway.patch(id, { ...more, status }, { as });
  const read = async (id: string, as = alice) => (await gateway.read(id, { as })).event;

  test('a new event is confirmed unless told', async () => {
    expect((await read(await make())).status).toBe('confirmed');
    expect((await read(await make({ status: null }))).status).toBe('confirmed');
    expect((await read(await make({ status: 'tentative' }))).status).toBe('tentative');
  });

  test.each([
    ['confirmed', 'tentative'], ['tentative', 'confirmed'], ['confirmed', 'cancelled'], ['tentative', 'cancelled'],
    ['cancelled', 'confirmed'], ['cancelled', 'tentative'],
  ])('the organizer takes it from %s to %s, and all copies show it', async (from, to) => {
    const id = await make();
    await set(id, from);
    const { event, problems } = await set(id, to);
    expect({ problems, status: event.status }).toEqual({ problems: [], status: to });
    expect([(await read(id)).status, (await read(id, bob)).status]).toEqual([to, to]);
  });

  test('null stands for confirmed, also to restore', async () => {
    const id = await make({ status: 'tentative' });
    expect((await set(id, null)).event.status).toBe('confirmed');
    await set(id, 'cancelled');
    expect((await set(id, null)).event.status).toBe('confirmed');
  });

  test('a status that does not exist is an error with its path', async () => {
    expect((await set(await make(), 'deleted')).problems).toEqual(['BAD_USER_INPUT event.status invalid']);
  });

  describe('cancelled by its organizer', () => {
    test('keeps its details for the organizer, and for who reads that calendar', async () => {
      const id = await make();
      await set(id, 'cancelled');
      expect(await read(id)).toMatchObject({ ...seen, status: 'cancelled' });
      expect((await gateway.read(id, { as: rita, calendarId: alice })).event).toMatchObject({ summary: 'Plan', status: 'cancelled' });
    });

    test('has its id only on a guest’s copy', async () => {
      const id = await make();
      await gateway.patch(id, { colorId: '5' }, { as: bob });
      await set(id, 'cancelled');
      const left = await read(id, bob);
      expect(names(left)).toEqual(idOnly);
      expect(left).toMatchObject({ id, status: 'cancelled' });
    });

    test.each<[string, object]>([
      ['a title', { summary: 'New' }], ['a colour', { colorId: '1' }], ['a response', { attendeesOmitted: true, attendees: [] }],
      ['cancelled once more', { status: 'cancelled' }], ['cancelled with more', { status: 'cancelled', summary: 'New' }], ['nothing', {}],
    ])('takes no other patch than being restored: %s', async (_name, change) => {
      const id = await make();
      await set(id, 'cancelled');
      const before = await gateway.stored(id);
      const { problems, errors } = await gateway.patch(id, change);
      expect(problems).toEqual(cancelledFirst);
      expect(errors?.[0]?.message).toContain('confirmed');
      expect(await gateway.stored(id)).toBe(before);
    });

    test.each(['confirmed', 'tentative', 'cancelled', null])('cannot be restored by a guest, with %s', async (status) => {
      const id = await make({ guestsCanModify: true });
      await set(id, 'cancelled');
      expect((await set(id, status, bob)).problems).toEqual(cancelledFirst);
      expect((await gateway.patch(id, { colorId: '1' }, { as: bob })).problems).toEqual(cancelledFirst);
    });

    test('is as it was when restored, for everybody', async () => {
      const id = await make();
      await gateway.patch(id, { colorId: '5' }, { as: bob });
      await set(id, 'cancelled');
      await set(id, 'confirmed');
      expect(await read(id)).toMatchObject({ ...seen, status: 'confirmed' });
      expect(await read(id, bob)).toMatchObject({ summary: 'Plan', status: 'confirmed', colorId: '5' });
    });

    test('can be restored with the whole event as it was read, and changed by the same patch', async () => {
      const id = await make();
      await set(id, 'cancelled');
      const whole = await read(id);
      const { event, problems } = await gateway.patch(id, { ...whole, status: 'confirmed', summary: 'New' });
      expect({ problems, summary: event.summary, status: event.status }).toEqual({ problems: [], summary: 'New', status: 'confirmed' });
    });
  });

  describe('taken off by a guest', () => {
    test('is cancelled on that calendar, with all details, and on no other', async () => {
      const id = await make();
      const before = await read(id);
      const { event, problems } = await set(id, 'cancelled', bob);
      expect(problems).toEqual([]);
      expect(event).toMatchObject({ summary: 'Plan', location: 'Room 1', status: 'cancelled' });
      expect(await read(id, bob)).toEqual(event);
      expect(await read(id)).toEqual(before);
    });

    test.each([['confirmed', 'confirmed'], ['tentative', 'confirmed'], ['confirmed', 'tentative'], ['tentative', 'tentative'], [null, 'confirmed']])(
      'comes back with %s, and has the status the organizer gave it: %s',
      async (status, organizers) => {
        const id = await make({ status: organizers });
        await set(id, 'cancelled', bob);
        const { event, problems } = await set(id, status, bob);
        expect({ problems, status: event.status }).toEqual({ problems: [], status: organizers });
        expect((await read(id)).status).toBe(organizers);
      },
    );

    test.each<[string, object]>([['a colour', { colorId: '1' }], ['cancelled once more', { status: 'cancelled' }], ['nothing', {}]])(
      'takes no other patch than being restored: %s',
      async (_name, change) => {
        const id = await make();
        await set(id, 'cancelled', bob);
        expect((await gateway.patch(id, change, { as: bob })).problems).toEqual(cancelledFirst);
      },
    );

    test('still shows what the organizer changes, and stays off', async () => {
      const id = await make();
      await set(id, 'cancelled', bob);
      await gateway.patch(id, { summary: 'New' });
      expect(await read(id, bob)).toMatchObject({ summary: 'New', status: 'cancelled' });
    });

    test('has its id only once the organizer cancels it too, and is still off when the organizer restores it', async () => {
      const id = await make();
      await set(id, 'cancelled', bob);
      await set(id, 'cancelled');
      expect(names(await read(id, bob))).toEqual(idOnly);
      expect((await set(id, 'confirmed', bob)).problems).toEqual(cancelledFirst);
      await set(id, 'confirmed');
      expect(await read(id, bob)).toMatchObject({ summary: 'Plan', status: 'cancelled' });
      expect((await set(id, 'confirmed', bob)).event.status).toBe('confirmed');
    });
  });

  describe('sequence', () => {
    const zoned = (time: string) => ({ dateTime: `2026-12-01T${time}:00+01:00`, timeZone: berlin });
    const times = { start: zoned('10:00'), end: zoned('11:00') };

    test.each<[string, object, number]>([
      ['start', { start: zoned('10:30') }, 1], ['end', { end: zoned('11:30') }, 1], ['start and end', { start: zoned('12:00'), end: zoned('13:00') }, 1],
      ['recurrence', { recurrence: ['RRULE:FREQ=DAILY'] }, 1], ['status', { status: 'tentative' }, 1], ['cancelling', { status: 'cancelled' }, 1],
      ['the title', { summary: 'New' }, 0], ['the guests', { attendees: [] }, 0], ['the place', { location: null }, 0],
      ['endTimeUnspecified', { endTimeUnspecified: true }, 0], ['the colour', { colorId: '1' }, 0], ['reminders', { reminders: { useDefault: true } }, 0],
      ['the same start', { start: times.start }, 0], ['the same status', { status: 'confirmed' }, 0], ['no recurrence', { recurrence: [] }, 0],
    ])('a change of %s', async (_name, change, raised) => {
      const id = await make({ ...times, sequence: 4 });
      const { event, problems } = await gateway.patch(id, change);
      expect({ problems, sequence: event.sequence }).toEqual({ problems: [], sequence: 4 + raised });
    });

    test('starts at 0, and several revisions count one each', async () => {
      const id = await make(times);
      expect((await read(id)).sequence).toBe(0);
      await set(id, 'cancelled');
      await set(id, 'confirmed');
      expect((await gateway.patch(id, { end: zoned('12:00') })).event.sequence).toBe(3);
    });

    test('is not raised by a guest who takes the event off the own calendar', async () => {
      const id = await make(times);
      await set(id, 'cancelled', bob);
      await set(id, 'confirmed', bob);
      expect((await read(id)).sequence).toBe(0);
    });

    test.each([
      [5, {}, 5], [6, {}, 6], [9, { end: zoned('12:00') }, 9], [5, { end: zoned('12:00') }, 6], [2_147_483_647, {}, 2_147_483_647],
    ])('%i beside a stored 5 is kept: %j', async (sequence, change, stored) => {
      const id = await make({ ...times, sequence: 5 });
      expect((await gateway.patch(id, { ...change, sequence })).event.sequence).toBe(stored);
    });

    test.each([4, 0, null])('%p beside a stored 5 is an error', async (sequence) => {
      const id = await make({ ...times, sequence: 5 });
      expect((await gateway.patch(id, { sequence })).problems).toEqual(['BAD_USER_INPUT event.sequence invalid']);
      expect((await read(id)).sequence).toBe(5);
    });
  });
});
