import { printPath } from '../../src/core/errors.ts';
import { SeedError } from '../../src/seed/seed.ts';
import {
  alice,
  berlin,
  bob,
  carol,
  hour,
  many,
  people,
  popup,
  startEvents,
  text,
  type EventGateway,
  type Shown,
} from './event.harness.ts';

/** The issues of a start from these events on the calendars of Alice, Bob and Carol, each as `path reason`. */
async function issuesOf(...lists: (readonly unknown[])[]): Promise<string[]> {
  try {
    await (await startEvents({ seed: { calendars: people(...(lists as object[][])) } })).close();
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    for (const { path } of error.issues) expect(error.message).toContain(printPath(path));
    return error.issues.map(({ path, reason }) => `${printPath(path)} ${reason}`).sort();
  }
}

const entryPoints = [{ entryPointType: 'video', uri: 'https://call.example' }];
const call = (type: string, conferenceId?: string) => ({
  ...hour,
  conferenceData: { conferenceId, conferenceSolution: { key: { type } }, entryPoints },
});
const lone = (originalStartTime: object) => ({
  ...{ id: 'lone', status: 'cancelled', recurringEventId: 'elsewhere' },
  originalStartTime,
});
const own = (map: object) => ({ extendedProperties: { private: map } });

describe('events in a seed file', () => {
  let gateway: EventGateway | undefined;
  afterEach(() => gateway?.close());
  const start = async (...lists: (readonly object[])[]): Promise<EventGateway> =>
    (gateway = await startEvents({ seed: { calendars: people(...lists) } }));
  type Lists = readonly (readonly [owner: string, events: readonly object[]])[];
  const from = async (...lists: Lists): Promise<EventGateway> => {
    const calendars = lists.map(([owner, events]) => ({ id: owner, owner, timeZone: berlin, events }));
    return (gateway = await startEvents({ seed: { calendars } }));
  };

  describe('are taken over:', () => {
    const body = {
      kind: 'calendar#event',
      etag: '"3"',
      id: 'any-ID_at.all',
      iCalUID: 'old@elsewhere.example',
      status: 'tentative',
      htmlLink: 'https://elsewhere.example/event',
      callLink: 'https://elsewhere.example/call',
      created: '2020-01-01T00:00:00Z',
      updated: '2021-06-01T12:00:00+02:00',
      summary: 'Old',
      creator: { id: 'profile-1', displayName: 'Maker', self: true },
      organizer: { email: 'boss@elsewhere.example', displayName: 'Boss', self: true },
      ...hour,
      sequence: 4,
      locked: true,
      attendees: [
        { email: alice, self: true, optional: false, responseStatus: 'accepted', additionalGuests: 0 },
        { email: 'boss@elsewhere.example', organizer: true, responseStatus: 'declined' },
      ],
      attachments: [
        { fileUrl: 'https://files.example/1', fileId: 'f1', iconLink: 'https://icons.example/1' },
      ],
      reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }] },
      guestsCanModify: true,
      extendedProperties: { private: { p: '1' } },
      transparency: 'opaque',
      visibility: 'default',
      guestsCanInviteOthers: true,
    };

    test('read-only fields are what the file says, except those that are worked out; what is read goes back in', async () => {
      const { on, change } = await start([body]);
      const event = await on(alice, body.id);
      const { etag, htmlLink, kind: _kind, ...kept } = body;
      expect(event).toMatchObject({
        ...kept,
        creator: { ...body.creator, self: false },
        organizer: { ...body.organizer, self: false },
        updated: '2021-06-01T10:00:00.000Z',
        created: expect.stringMatching(/^2020-01-01T00:00:00(\.000)?Z$/),
      });
      expect([event.etag, event.htmlLink]).not.toEqual(expect.arrayContaining([etag, htmlLink]));
      expect(await change(body.id, event, { supportsAttachments: true, conferenceDataVersion: 1 })).toEqual(
        event,
      );
    });

    test('a bare event gets an id, an iCalUID, the default reminders, and its owner as creator and organizer', async () => {
      const { ask } = await start([hour]);
      const fields = 'id iCalUID creator { email } organizer { email self } reminders { useDefault }';
      const { data } = await ask(`{ events(calendarId: "primary") { nodes { ${fields} } } }`);
      const [event] = data.events.nodes;
      expect(event).toEqual({
        id: expect.stringMatching(/^[a-v0-9]{5,}$/),
        iCalUID: `${event.id}@calendar.example.com`,
        creator: { email: alice },
        organizer: { email: alice, self: true },
        reminders: { useDefault: true },
      });
    });

    test.each([
      ['hostedCall', 'abc-defg-hij'],
      ['hostedCall', 'abcdefghij'],
      ['eventNamedCall', 'Standup'],
      ['of elsewhere', ' '],
    ])('a call of type %s with the id %j', async (type, conferenceId) => {
      const { on } = await start([{ ...call(type, conferenceId), id: 'call1' }]);
      expect((await on(alice, 'call1')).conferenceData.conferenceId).toBe(conferenceId);
    });

    test('a conference is signed, so that it can be copied', async () => {
      const { on, change } = await start([
        { ...call('eventCall'), id: 'call0' },
        { ...hour, id: 'other' },
      ]);
      const { conferenceData } = await on(alice, 'call0');
      const other = await change('other', { conferenceData }, { conferenceDataVersion: 1 });
      expect(other.conferenceData).toEqual(conferenceData);
    });
  });

  describe('stop the start, each issue with its full path:', () => {
    const at = 'calendars[0].events';
    const invalid = (paths: string) => paths.split(' ').map((path) => `${path} invalid`);
    const noDay = { start: { date: '2026-02-30' }, end: { date: '2026-03-02' } };
    const bareTime = { dateTime: '2026-12-01T10:00:00' };
    const dayAndTime = { date: '2026-12-01', dateTime: '2026-12-01T10:00:00Z' };
    const numbers = { start: { dateTime: 5 }, end: { date: 6, timeZone: 7 }, summary: 5, recurrence: [5] };
    const wrongTimes = { created: 'yesterday', updated: '2020-01-01T00:00:00' };
    const proto = own(JSON.parse('{"__proto__": 5}') as object);
    const whole: readonly [string, unknown, ...string[]][] = [
      ['a string instead of an event', 'event', ''],
      ['null', null, ''],
      ['an original start that is no day', lone({ date: '2026-02-30' }), 'originalStartTime.date invalid'],
      ['an original start of a day and a time', lone(dayAndTime), 'originalStartTime invalid'],
      ['an original start without a zone', lone(bareTime), 'originalStartTime.timeZone required'],
      ['no times', {}, 'end required', 'start required'],
      ['a day that is none', noDay, 'start.date invalid'],
      ['numbers', numbers, ...invalid('end.date end.timeZone recurrence[0] start.dateTime summary')],
    ];
    /** Bodies beside the times of an hour. */
    const parts: readonly [string, object, ...string[]][] = [
      ['an id for a call that has none', call('eventCall', 'abc'), 'conferenceData.conferenceId invalid'],
      ['a code that is none', call('hostedCall', 'abc-def'), 'conferenceData.conferenceId invalid'],
      ['an unknown field', { colour: 3 }, 'colour invalid'],
      ['strings for lists', { attendees: 'bob', recurrence: 'x' }, 'attendees invalid', 'recurrence invalid'],
      ['a string for an object', { start: '2026-12-01' }, 'start invalid'],
      ['the key __proto__', proto, 'extendedProperties.private.__proto__ invalid'],
      ['wrong read-only times', wrongTimes, 'created invalid', 'updated invalid'],
      ['empty identifiers', { id: '' }, 'id invalid'],
      ['a wrong organizer', { organizer: { email: 'boss' } }, 'organizer.email invalid'],
    ];
    test.each<[string, unknown, ...string[]]>([
      ...whole,
      ...parts.map(([name, part, ...issues]): [string, object, ...string[]] => [
        name,
        { ...hour, ...part },
        ...issues,
      ]),
    ])('%s', async (_name, body, ...issues) => {
      expect(await issuesOf([hour, body])).toEqual(
        issues.map((issue) => (issue === '' ? `${at}[1] invalid` : `${at}[1].${issue}`)),
      );
    });

    test('those of all events at once', async () => {
      const reminders = { useDefault: true, overrides: [popup(1)] };
      const wrong = { start: hour.start, end: hour.start, description: text(8193), summary: 5, reminders };
      expect(await issuesOf([wrong], [{}])).toEqual([
        `${at}[0].description tooLong`,
        `${at}[0].end timeRangeEmpty`,
        `${at}[0].reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride`,
        `${at}[0].summary invalid`,
        'calendars[1].events[0].end required',
        'calendars[1].events[0].start required',
      ]);
    });

    test('a hundred of a body with more', async () => {
      const more = Object.fromEntries(many(150, (index) => [`name${index}`, text(1025)]));
      for (const wrong of [{ gadget: more }, own(more), { gadget: more, ...own(more) }])
        expect(await issuesOf([{ ...hour, ...wrong }])).toHaveLength(100);
    });

    test('an id twice on one calendar', async () => {
      const event = { ...hour, id: 'twice' };
      expect(await issuesOf([event, event])).toEqual([`${at}[1].id duplicate`]);
      expect(await issuesOf([event], [event], [event])).toEqual([]);
    });
  });

  describe('are one event on several calendars by their iCalUID:', () => {
    const attendees = [{ email: bob }, { email: carol }];
    const shared = {
      ...hour,
      id: 'shared',
      organizer: { email: alice },
      creator: { email: alice },
      attendees,
    };
    const reminding = (minutes: number) => ({
      reminders: { useDefault: false, overrides: [popup(minutes)] },
    });
    const organizers = { ...shared, ...reminding(1), summary: 'As Alice has it', ...own({ a: '1' }) };
    const bobs = { ...shared, ...reminding(7), summary: 'An older title', colorId: '3', locked: true };
    const carols = {
      ...shared,
      summary: 'Another one',
      transparency: 'transparent',
      extendedProperties: { private: { c: '3' }, shared: { s: '4' } },
    };
    const lists: Readonly<Record<string, object>> = { [alice]: organizers, [bob]: bobs, [carol]: carols };
    /** The lists of these owners, of whom some have another list than the one above. */
    const inOrder = (order: readonly string[], others: Readonly<Record<string, object[]>> = {}): Lists =>
      order.map((owner) => [owner, others[owner] ?? [lists[owner] ?? {}]]);

    test.each([[[alice, bob, carol]], [[bob, alice, carol]], [[carol, bob, alice]]])(
      'in the order %j, the organizer’s tells what all share, each copy keeps its own',
      async (order) => {
        const { on, change } = await from(...inOrder(order));
        const core = { summary: 'As Alice has it', organizer: { email: alice }, status: 'confirmed' };
        const { reminders } = organizers;
        const hers = {
          reminders,
          colorId: null,
          locked: false,
          extendedProperties: { private: { a: '1' }, shared: null },
        };
        expect(await on(alice, 'shared')).toMatchObject({ ...core, ...hers });
        const { colorId, locked } = bobs;
        const his = {
          reminders: bobs.reminders,
          colorId,
          locked,
          transparency: 'opaque',
          extendedProperties: null,
        };
        expect(await on(bob, 'shared')).toMatchObject({ ...core, ...his });
        const { transparency } = carols;
        const properties = { extendedProperties: { private: { c: '3' }, shared: null } };
        const shown = { ...core, ...properties, transparency, reminders: { useDefault: true } };
        expect(await on(carol, 'shared')).toMatchObject(shown);
        await change('shared', { summary: 'Changed' });
        for (const as of [bob, carol]) expect((await on(as, 'shared')).summary).toBe('Changed');
      },
    );

    test.each([[[alice, bob, carol]], [[carol, bob, alice]]])(
      'in the order %j, a guest without a body has a copy by the list, one of an older list a mark of it',
      async (order) => {
        const { on } = await from(...inOrder(order, { [carol]: [] }));
        const reminders = { useDefault: true };
        expect(await on(carol, 'shared')).toMatchObject({ summary: 'As Alice has it', reminders });
        await gateway?.close();
        const older = { ...organizers, attendees: [{ email: bob }] };
        const after = await from([bob, [bobs]], [carol, []], [alice, [older]]);
        expect(await after.on(carol, 'shared')).toMatchObject({ status: 'cancelled', summary: null });
        expect(await after.on(bob, 'shared')).toMatchObject({ status: 'confirmed', colorId: '3' });
      },
    );

    test.each([[[alice, bob]], [[bob, alice]]])(
      'in the order %j, a copy that its guest took off the calendar can be restored',
      async (order) => {
        const removed = { ...bobs, status: 'cancelled' };
        const { on, change } = await from(...inOrder(order, { [bob]: [removed] }));
        expect((await on(alice, 'shared')).status).toBe('confirmed');
        expect((await on(bob, 'shared')).status).toBe('cancelled');
        expect((await change('shared', { status: 'confirmed' }, { as: bob })).status).toBe('confirmed');
      },
    );

    const another = { ...hour, id: 'shared', iCalUID: 'other@elsewhere.example', summary: 'Bob’s own' };
    const privateCopy = { ...bobs, privateCopy: true };
    test.each<[string, object, object]>([
      ['another event under the same id', another, { summary: 'Bob’s own', organizer: { email: bob } }],
      ['a private copy', privateCopy, { summary: 'An older title', privateCopy: true }],
    ])('%s stays by itself', async (_name, body, shown) => {
      const { on } = await from([bob, [body]], [alice, [organizers]]);
      const [mine, hers]: Shown[] = [await on(bob, 'shared'), await on(alice, 'shared')];
      expect(mine).toMatchObject(shown);
      expect(hers.summary).toBe('As Alice has it');
    });

    test('an instance after its series is what differs of it, on each calendar that has a body of it', async () => {
      const zone = (dateTime: string) => ({ dateTime, timeZone: berlin });
      const at = (from: string, to: string) => ({
        start: zone(`2026-12-${from}:00+01:00`),
        end: zone(`2026-12-${to}:00+01:00`),
      });
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      const series = { ...shared, ...at('01T10:00', '01T11:00'), summary: 'Series', recurrence };
      const second = {
        ...shared,
        ...at('02T12:00', '02T13:00'),
        id: 'shared_20261202T090000Z',
        recurringEventId: 'shared',
        originalStartTime: zone('2026-12-02T10:00:00+01:00'),
        summary: 'Moved',
      };
      const hers = { ...second, ...reminding(3) };
      const his = { ...second, colorId: '3' };
      const { on } = await from([alice, [series, hers]], [bob, [series, his]], [carol, []]);
      expect(await on(alice, second.id)).toMatchObject({
        summary: 'Moved',
        start: second.start,
        colorId: null,
        ...reminding(3),
      });
      expect(await on(bob, second.id)).toMatchObject({ summary: 'Moved', start: second.start, colorId: '3' });
      expect(await on(carol, 'shared_20261203T090000Z')).toMatchObject({ summary: 'Series' });
    });

    test('a cancelled instance without its series stands where it would have been', async () => {
      const original = { dateTime: '2026-12-02T10:00:00+01:00', timeZone: berlin };
      const { run } = await from([alice, [lone(original)]]);
      const list = `query ($timeMin: DateTime, $timeMax: DateTime) { result: events(calendarId: "primary", showDeleted: true, timeMin: $timeMin, timeMax: $timeMax) { nodes { id } } }`;
      const found = async (timeMin: string, timeMax: string) =>
        (await run(list, { timeMin, timeMax })).event.nodes.map(({ id }: Shown) => id);
      expect(await found(original.dateTime, '2026-12-02T10:01:00+01:00')).toEqual(['lone']);
      expect(await found('2026-12-02T10:01:00+01:00', '2026-12-02T11:00:00+01:00')).toEqual([]);
      expect(await found('2026-12-02T09:00:00+01:00', original.dateTime)).toEqual([]);
    });

    test('the same copy twice is an issue', async () => {
      expect(await issuesOf([organizers], [bobs, bobs])).toEqual(['calendars[1].events[1].id duplicate']);
    });
  });
});
