import { createLogNotifier } from '../../src/adapters/log-notifier.ts';
import type { GuestNotice } from '../../src/core/notifier.ts';
import { alice, berlin, bob, documents, hour, startEvents, type Controls, type EventGateway, type Outcome } from './event-http.harness.ts';

const carl = 'carl@example.com';
const eve = 'Eve@elsewhere.example';
const room = 'room3@resource.example';
/** Alice organizes and is listed; Bob has a calendar here, Eve has none, the room reads no mail. */
const attendees = [{ email: alice }, { email: bob }, { email: eve }, { email: room, resource: true }];

describe('notices to guests', () => {
  let gateway: EventGateway;
  const told: GuestNotice[] = [];
  const lines: object[] = [];
  const log = createLogNotifier((line) => lines.push(line));
  beforeAll(async () => {
    const acl = [{ email: carl, role: 'writer' }];
    const calendars = [alice, bob].map((owner) => ({ id: owner, owner, timeZone: berlin, acl }));
    const notifier = { notify: (notice: GuestNotice) => (told.push(notice), log.notify(notice)) };
    gateway = await startEvents([], { seed: { calendars }, notifier });
  });
  afterAll(() => gateway.close());

  const make = async (body: object = {}, controls: Controls = {}): Promise<Outcome> => {
    const answer = await gateway.insert({ summary: 'Planning', ...hour, attendees, ...body }, controls);
    expect(answer.problems).toEqual([]);
    return answer;
  };
  const silently = async (body: object = {}): Promise<string> => {
    const { event } = await make(body);
    told.length = 0;
    return event.id;
  };
  const guests = () => told.map((notice) => [...notice.guests].sort());
  beforeEach(() => {
    told.length = 0;
  });

  const all = [eve, bob].sort();
  const asked: [string, object, string[]][] = [
    ['nothing said', {}, []],
    ['sendUpdates: none', { sendUpdates: 'none' }, []],
    ['sendUpdates: all', { sendUpdates: 'all' }, all],
    ['sendUpdates: externalOnly', { sendUpdates: 'externalOnly' }, [eve]],
    ['sendUpdates: null', { sendUpdates: null }, []],
    ['sendNotifications: true', { sendNotifications: true }, all],
    ['sendNotifications: false', { sendNotifications: false }, []],
    ['sendNotifications: null', { sendNotifications: null }, []],
    ['sendUpdates: null with sendNotifications: true', { sendUpdates: null, sendNotifications: true }, all],
    ['sendUpdates: none, which outweighs sendNotifications: true', { sendUpdates: 'none', sendNotifications: true }, []],
    ['sendUpdates: externalOnly, which outweighs sendNotifications: true', { sendUpdates: 'externalOnly', sendNotifications: true }, [eve]],
    ['sendUpdates: all, which outweighs sendNotifications: false', { sendUpdates: 'all', sendNotifications: false }, all],
  ];

  describe('go to whom the request asks for, and the answer tells how many:', () => {
    test.each(asked)('a new event with %s', async (_name, controls, expected) => {
      const { event, guestsNotified } = await make({}, { ...controls });
      expect(guests()).toEqual(expected.length > 0 ? [expected] : []);
      expect(guestsNotified).toBe(expected.length);
      expect(told.map(({ eventId, change }) => [eventId, change])).toEqual(expected.length > 0 ? [[event.id, 'created']] : []);
    });

    test.each(asked)('a change with %s', async (_name, controls, expected) => {
      const id = await silently();
      const { guestsNotified } = await gateway.patch(id, { location: 'Room 3' }, { ...controls });
      expect(guests()).toEqual(expected.length > 0 ? [expected] : []);
      expect(guestsNotified).toBe(expected.length);
      expect(told.map(({ eventId, change }) => [eventId, change])).toEqual(expected.length > 0 ? [[id, 'updated']] : []);
    });
  });

  test('another value of sendUpdates is refused, and nobody is told', async () => {
    const id = await silently();
    const answer = await gateway.patch(id, { location: 'x' }, { sendUpdates: 'some' });
    expect(answer.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(told).toEqual([]);
  });

  const everyone: Controls = { sendUpdates: 'all' };

  describe('go to the guests before and after a change:', () => {
    test('one who is taken off the list and one who is added', async () => {
      const id = await silently();
      await gateway.patch(id, { attendees: [{ email: bob }, { email: 'new@elsewhere.example' }] }, everyone);
      expect(guests()).toEqual([[eve, bob, 'new@elsewhere.example'].sort()]);
      await gateway.patch(id, { summary: 'Other' }, everyone);
      expect(guests()[1]).toEqual([bob, 'new@elsewhere.example']);
    });

    test('one who is taken off and has a calendar here is not told by externalOnly', async () => {
      const id = await silently();
      await gateway.patch(id, { attendees: [] }, { sendUpdates: 'externalOnly' });
      expect(guests()).toEqual([[eve]]);
    });

    test('all of them when the list is cleared', async () => {
      const id = await silently();
      await gateway.patch(id, { attendees: null }, everyone);
      expect(guests()).toEqual([all]);
    });

    test('each once, at the address as it is now, however it is spelled', async () => {
      const id = await silently();
      await gateway.patch(id, { attendees: [{ email: eve.toLowerCase() }, { email: bob.toUpperCase() }] }, everyone);
      expect(guests()).toEqual([[bob.toUpperCase(), eve.toLowerCase()].sort()]);
    });

    test('guests who do not see each other too', async () => {
      const id = await silently({ guestsCanSeeOtherGuests: false });
      await gateway.patch(id, { attendeesOmitted: true, attendees: [{ email: bob, comment: 'x' }] }, { ...everyone, as: bob });
      expect(guests()).toEqual([[eve, alice].sort()]);
    });
  });

  describe('leave out the calendar on which the change is made:', () => {
    test.each([[alice, alice, [eve, bob]], [carl, alice, [eve, bob]], [bob, bob, [eve, alice]], [carl, bob, [eve, alice]]])(
      'a change by %s on the calendar of %s',
      async (as, calendarId, expected) => {
        const id = await silently({ guestsCanModify: true });
        await gateway.patch(id, { summary: 'Other' }, { ...everyone, as, calendarId });
        expect(guests()).toEqual([[...expected].sort()]);
      },
    );
  });

  test('say what happened: cancelled, and updated when it is restored', async () => {
    const id = await silently();
    await gateway.patch(id, { status: 'cancelled' }, everyone);
    await gateway.patch(id, { status: 'confirmed' }, everyone);
    expect(told.map(({ change }) => change)).toEqual(['cancelled', 'updated']);
    expect(guests()).toEqual([all, all]);
  });

  describe('are not sent', () => {
    const none = async (answer: Promise<Outcome>, problems: number): Promise<void> => {
      const { guestsNotified, ...rest } = await answer;
      expect(rest.problems).toHaveLength(problems);
      expect(guestsNotified ?? 0).toBe(0);
      expect(told).toEqual([]);
    };
    test('for a new event that is only checked', () => none(gateway.insert({ ...hour, attendees }, { ...everyone, validateOnly: true }), 0));
    test('for a change that is only checked', async () => {
      const id = await silently();
      await none(gateway.patch(id, { summary: 'x' }, { ...everyone, validateOnly: true }), 0);
    });
    test.each<[string, object]>([
      ['nothing', {}], ['what it is already', { summary: 'Planning', status: 'confirmed' }], ['read-only fields', { kind: 'x', etag: '"y"' }], ['the same guests', { attendees }],
    ])('for a change to %s', async (_name, body) => {
      await none(gateway.patch(await silently(), body, everyone), 0);
    });
    test.each<[string, object]>([
      ['colour', { colorId: '2' }], ['reminders', { reminders: { useDefault: true } }], ['private properties', { extendedProperties: { private: { a: '1' } } }],
      ['visibility', { visibility: 'private' }], ['transparency', { transparency: 'transparent' }],
    ])('for a change to the own %s, which no guest sees', async (_name, body) => {
      await none(gateway.patch(await silently(), body, everyone), 0);
    });
    test('when a guest takes the event off the own calendar, and puts it back', async () => {
      const id = await silently();
      await none(gateway.patch(id, { status: 'cancelled' }, { ...everyone, as: bob }), 0);
      await none(gateway.patch(id, { status: 'confirmed' }, { ...everyone, as: bob }), 0);
    });
    test('for a refused change, a wrong one, and one that came too late', async () => {
      const id = await silently();
      await none(gateway.patch(id, { summary: 'x' }, { ...everyone, as: bob }), 1);
      await none(gateway.patch(id, { summary: 'x', colorId: '12' }, everyone), 1);
      await none(gateway.patch(id, { summary: 'x' }, { ...everyone, ifMatch: '"old"' }), 1);
      await none(gateway.insert({ attendees }, everyone), 2);
    });
    test('a second time when an insert is repeated with its requestId', async () => {
      const again = { ...everyone, requestId: 'once-only' };
      expect((await make({}, again)).guestsNotified).toBe(2);
      const repeated = await make({}, again);
      expect(repeated.guestsNotified).toBe(0);
      expect(told).toHaveLength(1);
    });
    test('for a private copy, whose changes are not shared', async () => {
      const { event } = await make({ privateCopy: true }, everyone);
      await none(gateway.patch(event.id, { summary: 'Other' }, everyone), 0);
    });
    test('for an event without guests, or with resources only', async () => {
      await none(make({ attendees: [] }, everyone), 0);
      await none(make({ attendees: [{ email: room, resource: true }] }, everyone), 0);
    });
  });

  test('are counted for each root field of a request', async () => {
    const [one, two] = [await silently(), await silently()];
    const body = 'event: { location: "Room 4" }, sendUpdates: all';
    const answer = await gateway.ask(`mutation { a: patchEvent(calendarId: "primary", eventId: "${one}", ${body}) { id }
      b: patchEvent(calendarId: "primary", eventId: "${two}", ${body}) { id } }`);
    expect(answer.guestsNotified).toEqual({ a: 2, b: 2 });
    expect((await gateway.run(documents.read, { calendarId: alice, eventId: one })).guestsNotified).toBe(0);
  });

  test('are logged without any address', async () => {
    lines.length = 0;
    const { event } = await make({}, everyone);
    expect(lines).toEqual([{ event: event.id, change: 'created', guests: 2 }]);
    expect(JSON.stringify(lines)).not.toContain('@');
  });
});
