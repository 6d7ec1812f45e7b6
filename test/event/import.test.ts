import { printPath } from '../../src/core/kernel/path.ts';
import { SeedError } from '../../src/seed/seed.ts';
import {
  alice,
  berlin,
  bob,
  carol,
  hour,
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

const call = (type: string, conferenceId: string) => ({
  ...hour,
  conferenceData: {
    conferenceId,
    conferenceSolution: { key: { type } },
    entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
  },
});
const lone = (originalStartTime: object) => ({
  id: 'lone',
  status: 'cancelled',
  recurringEventId: 'elsewhere',
  originalStartTime,
});
const own = (map: object) => ({ extendedProperties: { private: map } });

describe('events in a seed file', () => {
  let gateway: EventGateway | undefined;
  afterEach(() => gateway?.close());
  const start = async (...lists: (readonly object[])[]): Promise<EventGateway> =>
    (gateway = await startEvents({ seed: { calendars: people(...lists) } }));
  const from = async (
    ...order: (readonly [owner: string, events: readonly object[]])[]
  ): Promise<EventGateway> =>
    (gateway = await startEvents({
      seed: { calendars: order.map(([owner, events]) => ({ id: owner, owner, timeZone: berlin, events })) },
    }));

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
      const [event] = (
        await ask(
          '{ events(calendarId: "primary") { nodes { id iCalUID creator { email } organizer { email self } reminders { useDefault } } } }',
        )
      ).data.events.nodes;
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
      const conferenceData = {
        conferenceSolution: { key: { type: 'eventCall' } },
        entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
      };
      const { on, change } = await start([
        { ...hour, id: 'call0', conferenceData },
        { ...hour, id: 'other' },
      ]);
      const { conferenceData: signed } = await on(alice, 'call0');
      expect(
        (await change('other', { conferenceData: signed }, { conferenceDataVersion: 1 })).conferenceData,
      ).toEqual(signed);
    });
  });

  describe('stop the start, each issue with its full path:', () => {
    const at = 'calendars[0].events';
    test.each<[string, unknown, ...string[]]>([
      ['an id for a call that has none', call('eventCall', 'abc'), 'conferenceData.conferenceId invalid'],
      ['a call without its name', call('eventNamedCall', ' '), 'conferenceData.conferenceId invalid'],
      ['a code that is none', call('hostedCall', 'abc-def'), 'conferenceData.conferenceId invalid'],
      [
        'a day that is none as an original start',
        lone({ date: '2026-02-30' }),
        'originalStartTime.date invalid',
      ],
      [
        'a day and a time as an original start',
        lone({ date: '2026-12-01', dateTime: '2026-12-01T10:00:00Z' }),
        'originalStartTime invalid',
      ],
      [
        'an original start without offset and zone',
        lone({ dateTime: '2026-12-01T10:00:00' }),
        'originalStartTime.timeZone required',
      ],
      ['an unknown field', { ...hour, colour: 3 }, 'colour invalid'],
      ['one further in', { ...hour, start: { ...hour.start, zone: 'x' } }, 'start.zone invalid'],
      [
        'one of an entry',
        { ...hour, attendees: [{ email: bob }, { mail: bob }] },
        'attendees[1].mail invalid',
      ],
      ['a string instead of an event', 'event', ''],
      ['null', null, ''],
      [
        'numbers',
        { start: { dateTime: 5 }, end: { date: 6, timeZone: 7 }, summary: 5, recurrence: [5] },
        'end.date invalid',
        'end.timeZone invalid',
        'recurrence[0] invalid',
        'start.dateTime invalid',
        'summary invalid',
      ],
      [
        'strings for an object and lists',
        { ...hour, start: '2026-12-01', attendees: 'bob', recurrence: 'x' },
        'attendees invalid',
        'recurrence invalid',
        'start invalid',
      ],
      [
        'numbers as addresses',
        { ...hour, attendees: [{ email: 5 }, { email: 5 }] },
        'attendees[0].email invalid',
        'attendees[1].email invalid',
      ],
      [
        'properties that are no strings',
        { ...hour, extendedProperties: { private: { k: 5, l: null } } },
        'extendedProperties.private.k invalid',
        'extendedProperties.private.l required',
      ],
      [
        'the key __proto__',
        { ...hour, extendedProperties: { private: JSON.parse('{"__proto__": 5}') as object } },
        'extendedProperties.private.__proto__ invalid',
      ],
      [
        'a list as map',
        { ...hour, gadget: { preferences: ['a'], display: 'banner' } },
        'gadget.display invalid',
        'gadget.preferences invalid',
      ],
      ['a wrong status', { ...hour, status: 'gone' }, 'status invalid'],
      [
        'a day that is none',
        { start: { date: '2026-02-30' }, end: { date: '2026-03-02' } },
        'start.date invalid',
      ],
      ['a time that is none', { ...hour, start: { dateTime: 'soon' } }, 'start.dateTime invalid'],
      [
        'half a reminder',
        { ...hour, reminders: { overrides: [{}] } },
        'reminders.overrides[0].method required',
        'reminders.overrides[0].minutes required',
      ],
      ['no times', {}, 'end required', 'start required'],
      [
        'wrong read-only times',
        { ...hour, created: 'yesterday', updated: '2020-01-01T00:00:00' },
        'created invalid',
        'updated invalid',
      ],
      ['empty identifiers', { ...hour, id: '' }, 'id invalid'],
      ['a wrong organizer', { ...hour, organizer: { email: 'boss' } }, 'organizer.email invalid'],
      [
        'a guest twice',
        { ...hour, attendees: [{ email: bob }, { email: 'BOB@example.com' }] },
        'attendees[1].email invalid',
      ],
      [
        'a long note',
        { ...hour, conferenceData: { notes: text(2049), conferenceId: 5 } },
        'conferenceData.conferenceId invalid',
        'conferenceData.notes tooLong',
      ],
      ['U+0000', { ...hour, location: '\u0000' }, 'location invalid'],
    ])('%s', async (_name, body, ...issues) => {
      expect(await issuesOf([hour, body])).toEqual(
        issues.map((issue) => (issue === '' ? `${at}[1] invalid` : `${at}[1].${issue}`)),
      );
    });

    test('those of all events at once', async () => {
      const wrong = {
        ...hour,
        description: text(8193),
        summary: 5,
        end: hour.start,
        reminders: { useDefault: true, overrides: [popup(1)] },
      };
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
      const more = Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`name${index}`, text(1025)]),
      );
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
    const shared = {
      ...hour,
      id: 'shared',
      organizer: { email: alice },
      creator: { email: alice },
      attendees: [{ email: bob }, { email: carol }],
    };
    const [organizers, bobs, carols] = [
      {
        ...shared,
        summary: 'As Alice has it',
        reminders: { useDefault: false, overrides: [popup(1)] },
        extendedProperties: { private: { a: '1' } },
      },
      {
        ...shared,
        summary: 'An older title',
        reminders: { useDefault: false, overrides: [popup(7)] },
        colorId: '3',
        locked: true,
      },
      {
        ...shared,
        summary: 'Another one',
        transparency: 'transparent',
        extendedProperties: { private: { c: '3' }, shared: { s: '4' } },
      },
    ];
    const lists: Readonly<Record<string, readonly object[]>> = {
      [alice]: [organizers],
      [bob]: [bobs],
      [carol]: [carols],
    };

    test.each([[[alice, bob, carol]], [[bob, alice, carol]], [[carol, bob, alice]]])(
      'in the order %j, the organizer’s tells what all share, each copy keeps its own',
      async (order) => {
        const { on, change } = await from(...order.map((owner) => [owner, lists[owner] ?? []] as const));
        const core = { summary: 'As Alice has it', organizer: { email: alice }, status: 'confirmed' };
        expect(await on(alice, 'shared')).toMatchObject({
          ...core,
          reminders: organizers.reminders,
          colorId: null,
          locked: false,
          extendedProperties: { private: { a: '1' }, shared: null },
        });
        expect(await on(bob, 'shared')).toMatchObject({
          ...core,
          reminders: bobs.reminders,
          colorId: '3',
          locked: true,
          transparency: 'opaque',
          extendedProperties: null,
        });
        expect(await on(carol, 'shared')).toMatchObject({
          ...core,
          reminders: { useDefault: true },
          transparency: 'transparent',
          extendedProperties: { private: { c: '3' }, shared: null },
        });
        await change('shared', { summary: 'Changed' });
        for (const as of [bob, carol]) expect((await on(as, 'shared')).summary).toBe('Changed');
      },
    );

    test.each([[[alice, bob, carol]], [[carol, bob, alice]]])(
      'in the order %j, a guest without a body has a copy by the list, one of an older list a mark of it',
      async (order) => {
        const { on } = await from(
          ...order.map(
            (owner) => [owner, owner === carol ? [] : owner === alice ? [organizers] : [bobs]] as const,
          ),
        );
        expect(await on(carol, 'shared')).toMatchObject({
          summary: 'As Alice has it',
          reminders: { useDefault: true },
        });
        await gateway?.close();
        const older = await from(
          [bob, [bobs]],
          [carol, []],
          [alice, [{ ...organizers, attendees: [{ email: bob }] }]],
        );
        expect(await older.on(carol, 'shared')).toMatchObject({ status: 'cancelled', summary: null });
        expect(await older.on(bob, 'shared')).toMatchObject({ status: 'confirmed', colorId: '3' });
      },
    );

    test.each([[[alice, bob]], [[bob, alice]]])(
      'in the order %j, a copy that its guest took off the calendar can be restored',
      async (order) => {
        const { on, change } = await from(
          ...order.map(
            (owner) => [owner, owner === alice ? [organizers] : [{ ...bobs, status: 'cancelled' }]] as const,
          ),
        );
        expect([(await on(alice, 'shared')).status, (await on(bob, 'shared')).status]).toEqual([
          'confirmed',
          'cancelled',
        ]);
        expect((await change('shared', { status: 'confirmed' }, { as: bob })).status).toBe('confirmed');
      },
    );

    test.each<[string, object, object]>([
      [
        'another event under the same id',
        { ...hour, id: 'shared', iCalUID: 'other@elsewhere.example', summary: 'Bob’s own' },
        { summary: 'Bob’s own', organizer: { email: bob } },
      ],
      ['a private copy', { ...bobs, privateCopy: true }, { summary: 'An older title', privateCopy: true }],
    ])('%s stays by itself', async (_name, body, shown) => {
      const { on } = await from([bob, [body]], [alice, [organizers]]);
      const [mine, hers]: Shown[] = [await on(bob, 'shared'), await on(alice, 'shared')];
      expect(mine).toMatchObject(shown);
      expect(hers.summary).toBe('As Alice has it');
    });

    test('an instance after its series is what differs of it, on each calendar that has a body of it', async () => {
      const zone = (dateTime: string) => ({ dateTime, timeZone: berlin });
      const series = {
        ...shared,
        start: zone('2026-12-01T10:00:00+01:00'),
        end: zone('2026-12-01T11:00:00+01:00'),
        summary: 'Series',
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      };
      const second = {
        ...shared,
        id: 'shared_20261202T090000Z',
        recurringEventId: 'shared',
        originalStartTime: zone('2026-12-02T10:00:00+01:00'),
        start: zone('2026-12-02T12:00:00+01:00'),
        end: zone('2026-12-02T13:00:00+01:00'),
      };
      const overrides = [popup(3)];
      const [hers, his] = [
        { ...second, summary: 'Moved', reminders: { useDefault: false, overrides } },
        { ...second, summary: 'Moved', colorId: '3' },
      ];
      const { on } = await from([alice, [series, hers]], [bob, [series, his]], [carol, []]);
      expect(await on(alice, second.id)).toMatchObject({
        summary: 'Moved',
        start: second.start,
        colorId: null,
        reminders: { useDefault: false, overrides },
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
