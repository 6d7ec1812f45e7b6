import { formatPath } from '../../src/core/errors.ts';
import { SeedError } from '../../src/seed/import.ts';
import {
  alice,
  berlin,
  bob,
  carol,
  oneHour,
  makeMany,
  sampleCalendars,
  popupOverride,
  popupReminder,
  startEventGateway,
  textOfLength,
  type EventGateway,
  type EventJson,
} from './event.harness.ts';
import { inBerlin } from './following.harness.ts';

/** Starts a gateway with events of Alice, Bob and Carol; returns issues as `path reason`. */
async function collectIssues(...eventsByOwner: (readonly unknown[])[]): Promise<string[]> {
  try {
    const calendars = sampleCalendars(...(eventsByOwner as object[][]));
    await (await startEventGateway({ seed: { calendars } })).close();
    return [];
  } catch (error) {
    if (!(error instanceof SeedError)) throw error;
    for (const { path } of error.issues) expect(error.message).toContain(formatPath(path));
    return error.issues.map(({ path, reason }) => `${formatPath(path)} ${reason}`).sort();
  }
}

const entryPoints = [{ entryPointType: 'video', uri: 'https://call.example' }];
const createEventWithCall = (type: string, conferenceId?: string) => ({
  ...oneHour,
  conferenceData: { conferenceId, conferenceSolution: { key: { type } }, entryPoints },
});
const createCancelledInstance = (originalStartTime: object) => ({
  ...{ id: 'lone', status: 'cancelled', recurringEventId: 'elsewhere' },
  originalStartTime,
});
const createPrivateProperties = (map: object) => ({ extendedProperties: { private: map } });

describe('events in a seed file', () => {
  let gateway: EventGateway | undefined;
  afterEach(() => gateway?.close());
  const startWithEvents = async (...eventLists: (readonly object[])[]): Promise<EventGateway> =>
    (gateway = await startEventGateway({ seed: { calendars: sampleCalendars(...eventLists) } }));
  type OwnedEvents = readonly (readonly [owner: string, events: readonly object[]])[];
  const startWithOwnedEvents = async (...ownedEvents: OwnedEvents): Promise<EventGateway> => {
    const calendars = ownedEvents.map(([owner, events]) => ({ id: owner, owner, timeZone: berlin, events }));
    return (gateway = await startEventGateway({ seed: { calendars } }));
  };

  describe('are imported:', () => {
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
      ...oneHour,
      sequence: 4,
      locked: true,
      attendees: [
        { email: alice, self: true, optional: false, responseStatus: 'accepted', additionalGuests: 0 },
        { email: 'boss@elsewhere.example', organizer: true, responseStatus: 'declined' },
      ],
      attachments: [{ fileUrl: 'https://files.example/1', fileId: 'f1', iconLink: 'https://icons.example' }],
      reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }] },
      guestsCanModify: true,
      extendedProperties: { private: { p: '1' } },
      transparency: 'opaque',
      visibility: 'default',
      guestsCanInviteOthers: true,
    };

    test('with read-only fields of the file, except computed ones, and may be sent back as read', async () => {
      const { readOn, changeEvent } = await startWithEvents([body]);
      const event = await readOn(alice, body.id);
      const { etag, htmlLink, kind: _kind, ...importedFields } = body;
      expect(event).toMatchObject({
        ...importedFields,
        creator: { ...body.creator, self: false },
        organizer: { ...body.organizer, self: false },
        updated: '2021-06-01T10:00:00.000Z',
        created: expect.stringMatching(/^2020-01-01T00:00:00(\.000)?Z$/),
      });
      expect([event.etag, event.htmlLink]).not.toEqual(expect.arrayContaining([etag, htmlLink]));
      const allControls = { supportsAttachments: true, conferenceDataVersion: 1 };
      expect(await changeEvent(body.id, event, allControls)).toEqual(event);
    });

    test('with a default id, iCalUID, reminders, creator and organizer', async () => {
      const { ask } = await startWithEvents([oneHour]);
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
      ['unknownCall', ' '],
    ])('with a call of type %s and the id %j', async (type, conferenceId) => {
      const { readOn } = await startWithEvents([{ ...createEventWithCall(type, conferenceId), id: 'call1' }]);
      expect((await readOn(alice, 'call1')).conferenceData.conferenceId).toBe(conferenceId);
    });

    test('with a signed conference that can be copied', async () => {
      const { readOn, changeEvent } = await startWithEvents([
        { ...createEventWithCall('eventCall'), id: 'call0' },
        { ...oneHour, id: 'other' },
      ]);
      const { conferenceData } = await readOn(alice, 'call0');
      const changed = await changeEvent('other', { conferenceData }, { conferenceDataVersion: 1 });
      expect(changed.conferenceData).toEqual(conferenceData);
    });
  });

  describe('prevent the start, with issues:', () => {
    const eventsPath = 'calendars[0].events';
    const listInvalidIssues = (paths: string) => paths.split(' ').map((path) => `${path} invalid`);
    const invalidDay = { start: { date: '2026-02-30' }, end: { date: '2026-03-02' } };
    const bareTime = { dateTime: '2026-12-01T10:00:00' };
    const dayAndTime = { date: '2026-12-01', dateTime: '2026-12-01T10:00:00Z' };
    const numericFields = {
      start: { dateTime: 5 },
      end: { date: 6, timeZone: 7 },
      summary: 5,
      recurrence: [5],
    };
    const wrongTimes = { created: 'yesterday', updated: '2020-01-01T00:00:00' };
    const propertiesWithProto = createPrivateProperties(JSON.parse('{"__proto__": 5}') as object);
    const invalidEvents: readonly [string, unknown, ...string[]][] = [
      ['a string instead of an event', 'event', ''],
      ['null', null, ''],
      [
        'an original start that is no day',
        createCancelledInstance({ date: '2026-02-30' }),
        'originalStartTime.date invalid',
      ],
      [
        'an original start of a day and a time',
        createCancelledInstance(dayAndTime),
        'originalStartTime invalid',
      ],
      [
        'an original start without zone',
        createCancelledInstance(bareTime),
        'originalStartTime.timeZone required',
      ],
      ['no times', {}, 'end required', 'start required'],
      ['an invalid day', invalidDay, 'start.date invalid'],
      [
        'numbers',
        numericFields,
        ...listInvalidIssues('end.date end.timeZone recurrence[0] start.dateTime summary'),
      ],
    ];
    const wrongConferenceId = 'conferenceData.conferenceId invalid';
    /** Fields beside the times of an hour. */
    const invalidFields: readonly [string, object, ...string[]][] = [
      ['a conferenceId for a call without one', createEventWithCall('eventCall', 'abc'), wrongConferenceId],
      ['an invalid conferenceId', createEventWithCall('hostedCall', 'abc-def'), wrongConferenceId],
      ['an unknown field', { colour: 3 }, 'colour invalid'],
      ['strings for lists', { attendees: 'bob', recurrence: 'x' }, 'attendees invalid', 'recurrence invalid'],
      ['a string for an object', { start: '2026-12-01' }, 'start invalid'],
      ['the key __proto__', propertiesWithProto, 'extendedProperties.private.__proto__ invalid'],
      ['wrong read-only times', wrongTimes, 'created invalid', 'updated invalid'],
      ['empty identifiers', { id: '' }, 'id invalid'],
      ['a wrong organizer', { organizer: { email: 'boss' } }, 'organizer.email invalid'],
    ];
    test.each<[string, unknown, ...string[]]>([
      ...invalidEvents,
      ...invalidFields.map(([name, fields, ...issues]): [string, object, ...string[]] => [
        name,
        { ...oneHour, ...fields },
        ...issues,
      ]),
    ])('%s', async (_name, body, ...issues) => {
      expect(await collectIssues([oneHour, body])).toEqual(
        issues.map((issue) => (issue === '' ? `${eventsPath}[1] invalid` : `${eventsPath}[1].${issue}`)),
      );
    });

    test('issues of all events at once', async () => {
      const reminders = { useDefault: true, overrides: [popupOverride(1)] };
      const invalidEvent = {
        start: oneHour.start,
        end: oneHour.start,
        description: textOfLength(8193),
        summary: 5,
        reminders,
      };
      expect(await collectIssues([invalidEvent], [{}])).toEqual([
        `${eventsPath}[0].description tooLong`,
        `${eventsPath}[0].end timeRangeEmpty`,
        `${eventsPath}[0].reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride`,
        `${eventsPath}[0].summary invalid`,
        'calendars[1].events[0].end required',
        'calendars[1].events[0].start required',
      ]);
    });

    test('at most a hundred issues', async () => {
      const tooLongTexts = Object.fromEntries(makeMany(150, (index) => [`name${index}`, textOfLength(1025)]));
      const [gadget, properties] = [{ gadget: tooLongTexts }, createPrivateProperties(tooLongTexts)];
      for (const invalidMaps of [gadget, properties, { ...gadget, ...properties }])
        expect(await collectIssues([{ ...oneHour, ...invalidMaps }])).toHaveLength(100);
    });

    test('a duplicate id on one calendar', async () => {
      const event = { ...oneHour, id: 'twice' };
      expect(await collectIssues([event, event])).toEqual([`${eventsPath}[1].id duplicate`]);
      expect(await collectIssues([event], [event], [event])).toEqual([]);
    });
  });

  describe('with one iCalUID are one event on several calendars:', () => {
    const attendees = [{ email: bob }, { email: carol }];
    const byAlice = { organizer: { email: alice }, creator: { email: alice } };
    const shared = { ...oneHour, id: 'shared', ...byAlice, attendees };
    const createReminders = (minutes: number) => ({ reminders: popupReminder(minutes) });
    const ownFields = { ...createReminders(1), ...createPrivateProperties({ a: '1' }) };
    const alicesEvent = { ...shared, ...ownFields, summary: 'As Alice has it' };
    const bobsEvent = {
      ...shared,
      ...createReminders(7),
      summary: 'An older title',
      colorId: '3',
      locked: true,
    };
    const carolsEvent = {
      ...shared,
      summary: 'Another one',
      transparency: 'transparent',
      extendedProperties: { private: { c: '3' }, shared: { s: '4' } },
    };
    const eventByOwner: Readonly<Record<string, object>> = {
      [alice]: alicesEvent,
      [bob]: bobsEvent,
      [carol]: carolsEvent,
    };
    /** Lists the events of the owners in this order, with other lists for some owners. */
    const listsInOrder = (
      order: readonly string[],
      otherLists: Readonly<Record<string, object[]>> = {},
    ): OwnedEvents => order.map((owner) => [owner, otherLists[owner] ?? [eventByOwner[owner] ?? {}]]);

    test.each([[[alice, bob, carol]], [[bob, alice, carol]], [[carol, bob, alice]]])(
      'in the order %j, shared fields are the organizer’s, and each copy has its own',
      async (order) => {
        const { readOn, changeEvent } = await startWithOwnedEvents(...listsInOrder(order));
        const core = { summary: 'As Alice has it', organizer: { email: alice }, status: 'confirmed' };
        const { reminders } = alicesEvent;
        const extendedProperties = { private: { a: '1' }, shared: null };
        const aliceFields = { reminders, colorId: null, locked: false, extendedProperties };
        expect(await readOn(alice, 'shared')).toMatchObject({ ...core, ...aliceFields });
        const bobFields = { transparency: 'opaque', extendedProperties: null };
        const { reminders: bobsReminders, colorId, locked } = bobsEvent;
        const expectedForBob = { ...core, ...bobFields, reminders: bobsReminders, colorId, locked };
        expect(await readOn(bob, 'shared')).toMatchObject(expectedForBob);
        const { transparency } = carolsEvent;
        const properties = { extendedProperties: { private: { c: '3' }, shared: null } };
        const carolsFields = { ...core, ...properties, transparency, reminders: { useDefault: true } };
        expect(await readOn(carol, 'shared')).toMatchObject(carolsFields);
        await changeEvent('shared', { summary: 'Changed' });
        for (const as of [bob, carol]) expect((await readOn(as, 'shared')).summary).toBe('Changed');
      },
    );

    test.each([[[alice, bob, carol]], [[carol, bob, alice]]])(
      'in the order %j, a guest without an event gets a copy, or a cancelled one if no longer listed',
      async (order) => {
        const { readOn } = await startWithOwnedEvents(...listsInOrder(order, { [carol]: [] }));
        const reminders = { useDefault: true };
        expect(await readOn(carol, 'shared')).toMatchObject({ summary: 'As Alice has it', reminders });
        await gateway?.close();
        const olderEvent = { ...alicesEvent, attendees: [{ email: bob }] };
        const laterGateway = await startWithOwnedEvents(
          [bob, [bobsEvent]],
          [carol, []],
          [alice, [olderEvent]],
        );
        expect(await laterGateway.readOn(carol, 'shared')).toMatchObject({
          status: 'cancelled',
          summary: null,
        });
        expect(await laterGateway.readOn(bob, 'shared')).toMatchObject({ status: 'confirmed', colorId: '3' });
      },
    );

    test.each([[[alice, bob]], [[bob, alice]]])(
      'in the order %j, a copy that its guest deleted can be restored',
      async (order) => {
        const removedCopy = { ...bobsEvent, status: 'cancelled' };
        const { readOn, changeEvent } = await startWithOwnedEvents(
          ...listsInOrder(order, { [bob]: [removedCopy] }),
        );
        expect((await readOn(alice, 'shared')).status).toBe('confirmed');
        expect((await readOn(bob, 'shared')).status).toBe('cancelled');
        expect((await changeEvent('shared', { status: 'confirmed' }, { as: bob })).status).toBe('confirmed');
      },
    );

    const otherEvent = { ...oneHour, id: 'shared', iCalUID: 'other@elsewhere.example', summary: 'Bob’s own' };
    const privateCopy = { ...bobsEvent, privateCopy: true };
    test.each<[string, object, object]>([
      ['another event under the same id', otherEvent, { summary: 'Bob’s own', organizer: { email: bob } }],
      ['a private copy', privateCopy, { summary: 'An older title', privateCopy: true }],
    ])('%s stays separate', async (_name, body, expectedFields) => {
      const { readOn } = await startWithOwnedEvents([bob, [body]], [alice, [alicesEvent]]);
      const [bobsView, alicesView]: EventJson[] = [
        await readOn(bob, 'shared'),
        await readOn(alice, 'shared'),
      ];
      expect(bobsView).toMatchObject(expectedFields);
      expect(alicesView.summary).toBe('As Alice has it');
    });

    test('an instance of an imported series becomes an exception, with its own fields on each calendar', async () => {
      const timesBetween = (from: string, to: string) => ({
        start: inBerlin(`2026-12-${from}:00+01:00`),
        end: inBerlin(`2026-12-${to}:00+01:00`),
      });
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=3'];
      const series = { ...shared, ...timesBetween('01T10:00', '01T11:00'), summary: 'Series', recurrence };
      const secondInstance = {
        ...shared,
        ...timesBetween('02T12:00', '02T13:00'),
        id: 'shared_20261202T090000Z',
        recurringEventId: 'shared',
        originalStartTime: inBerlin('2026-12-02T10:00:00+01:00'),
        summary: 'Moved',
      };
      const aliceFields = { ...secondInstance, ...createReminders(3) };
      const bobFields = { ...secondInstance, colorId: '3' };
      const [alicesEvents, bobsEvents] = [
        [series, aliceFields],
        [series, bobFields],
      ];
      const { readOn } = await startWithOwnedEvents([alice, alicesEvents], [bob, bobsEvents], [carol, []]);
      const movedFields = { summary: 'Moved', start: secondInstance.start };
      expect(await readOn(alice, secondInstance.id)).toMatchObject({
        ...movedFields,
        colorId: null,
        ...createReminders(3),
      });
      expect(await readOn(bob, secondInstance.id)).toMatchObject({ ...movedFields, colorId: '3' });
      expect(await readOn(carol, 'shared_20261203T090000Z')).toMatchObject({ summary: 'Series' });
    });

    test('a cancelled instance without its series is listed at its original start', async () => {
      const originalStart = inBerlin('2026-12-02T10:00:00+01:00');
      const { run } = await startWithOwnedEvents([alice, [createCancelledInstance(originalStart)]]);
      const list = `query ($timeMin: DateTime, $timeMax: DateTime) { result: events(calendarId: "primary", showDeleted: true, timeMin: $timeMin, timeMax: $timeMax) { nodes { id } } }`;
      const findIds = async (timeMin: string, timeMax: string) =>
        (await run(list, { timeMin, timeMax })).event.nodes.map(({ id }: EventJson) => id);
      expect(await findIds(originalStart.dateTime, '2026-12-02T10:01:00+01:00')).toEqual(['lone']);
      expect(await findIds('2026-12-02T10:01:00+01:00', '2026-12-02T11:00:00+01:00')).toEqual([]);
      expect(await findIds('2026-12-02T09:00:00+01:00', originalStart.dateTime)).toEqual([]);
    });

    test('a duplicate copy is an issue', async () => {
      expect(await collectIssues([alicesEvent], [bobsEvent, bobsEvent])).toEqual([
        'calendars[1].events[1].id duplicate',
      ]);
    });
  });
});
