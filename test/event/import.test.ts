import { issuesOf, people } from './import.harness.ts';
import { alice, bob, hour, startEvents, text, type EventGateway } from './event-http.harness.ts';

describe('events in a seed file', () => {
  let open: EventGateway[] = [];
  afterEach(async () => {
    for (const gateway of open) await gateway.close();
    open = [];
  });
  const start = async (...lists: (readonly object[])[]): Promise<EventGateway> => {
    const gateway = await startEvents([], { seed: { calendars: people(...lists) } });
    open.push(gateway);
    return gateway;
  };

  describe('what is taken over', () => {
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
        { email: 'boss@elsewhere.example', organizer: true },
      ],
      attachments: [{ fileUrl: 'https://files.example/1', fileId: 'f1', iconLink: 'https://icons.example/1' }],
      reminders: { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }] },
      guestsCanModify: true,
      extendedProperties: { private: { p: '1' } },
    };

    test('read-only fields are what the file says, except those that are worked out', async () => {
      const gateway = await start([body]);
      const { event } = await gateway.read(body.id);
      expect(event).toMatchObject({
        id: body.id,
        iCalUID: body.iCalUID,
        status: 'tentative',
        callLink: body.callLink,
        created: body.created,
        updated: '2021-06-01T10:00:00.000Z',
        creator: { id: 'profile-1', displayName: 'Maker', self: false },
        organizer: { email: 'boss@elsewhere.example', displayName: 'Boss', self: false },
        sequence: 4,
        locked: true,
        attendees: [
          { email: alice, self: true, organizer: false },
          { email: 'boss@elsewhere.example', self: false, organizer: true },
        ],
        attachments: body.attachments,
        reminders: body.reminders,
      });
      expect(event.etag).not.toBe(body.etag);
      expect(event.htmlLink).not.toBe(body.htmlLink);
    });

    test('what was read goes back in and changes nothing, defaults that the file spells out included', async () => {
      const defaults = {
        status: 'confirmed',
        transparency: 'opaque',
        visibility: 'default',
        sequence: 0,
        guestsCanInviteOthers: true,
        locked: false,
      };
      const gateway = await start([{ ...body, ...defaults, organizer: null }]);
      const { event } = await gateway.read(body.id);
      const same = await gateway.patch(body.id, event, { supportsAttachments: true, conferenceDataVersion: 1 });
      expect({ problems: same.problems, notes: same.notes }).toEqual({ problems: [], notes: [] });
      expect(same.event).toEqual(event);
    });

    test('an organizer may have no address', async () => {
      const gateway = await start([{ ...hour, id: 'noaddress', organizer: { displayName: 'Boss' } }]);
      expect((await gateway.read('noaddress')).event.organizer).toEqual({
        displayName: 'Boss',
        email: null,
        id: null,
        self: false,
      });
    });

    test('a bare event gets an id, an iCalUID and its owner as creator and organizer', async () => {
      const gateway = await start([hour]);
      const page = await gateway.stores.events.listEvents({ calendarId: alice, limit: 5 });
      const [id = ''] = (page?.entries ?? []).map(({ record }) => record.copies[alice]?.id ?? '');
      const { event } = await gateway.read(id);
      expect(event).toMatchObject({
        iCalUID: `${id}@calendar.example.com`,
        creator: { email: alice, self: true },
        organizer: { email: alice, self: true },
      });
      expect(id).toMatch(/^[a-v0-9]{5,}$/);
    });

    test('a conference is signed, so that it can be copied', async () => {
      const conferenceData = {
        conferenceSolution: { key: { type: 'eventCall' } },
        entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
      };
      const gateway = await start([
        { ...hour, id: 'call0', conferenceData },
        { ...hour, id: 'other' },
      ]);
      const { event } = await gateway.read('call0');
      const copied = await gateway.patch('other', { conferenceData: event.conferenceData }, { conferenceDataVersion: 1 });
      expect(copied.notes).toEqual([]);
      expect(copied.event.conferenceData).toEqual(event.conferenceData);
    });
  });

  describe('what is refused, each issue with its full path', () => {
    const at = 'calendars[0].events';

    test.each<[string, unknown, string[]]>([
      ['an unknown field', { ...hour, colour: 3 }, ['colour invalid']],
      ['an unknown field further in', { ...hour, start: { ...hour.start, zone: 'x' } }, ['start.zone invalid']],
      ['an unknown field of an entry', { ...hour, attendees: [{ email: bob }, { mail: bob }] }, ['attendees[1].mail invalid']],
      ['a text instead of an event', 'event', [' invalid']],
      ['null instead of an event', null, [' invalid']],
      ['a number as summary', { ...hour, summary: 5 }, ['summary invalid']],
      ['a text as start', { ...hour, start: '2026-12-01' }, ['start invalid']],
      [
        'numbers as times',
        { start: { dateTime: 5 }, end: { date: 6, timeZone: 7 } },
        ['start.dateTime invalid', 'end.date invalid', 'end.timeZone invalid'],
      ],
      ['a text as list', { ...hour, attendees: 'bob' }, ['attendees invalid']],
      ['a text as recurrence', { ...hour, recurrence: 'RRULE:FREQ=DAILY' }, ['recurrence invalid']],
      ['numbers as recurrence', { ...hour, recurrence: [5] }, ['recurrence[0] invalid']],
      [
        'a number as address',
        { ...hour, attendees: [{ email: 5 }, { email: 5 }] },
        ['attendees[0].email invalid', 'attendees[1].email invalid'],
      ],
      ['a number as property', { ...hour, extendedProperties: { private: { k: 5 } } }, ['extendedProperties.private.k invalid']],
      [
        'a null as property',
        { ...hour, extendedProperties: { private: { k: null } } },
        ['extendedProperties.private.k required'],
      ],
      [
        'the key __proto__ in a map',
        { ...hour, extendedProperties: { private: JSON.parse('{"__proto__": 5}') as object } },
        ['extendedProperties.private.__proto__ invalid'],
      ],
      ['a list as map', { ...hour, gadget: { preferences: ['a'] } }, ['gadget.preferences invalid']],
      [
        'numbers in a conference',
        { ...hour, conferenceData: { conferenceId: 5, notes: 6 } },
        ['conferenceData.conferenceId invalid', 'conferenceData.notes invalid'],
      ],
      ['an unknown status', { ...hour, status: 'gone' }, ['status invalid']],
      ['an unknown gadget display', { ...hour, gadget: { display: 'banner' } }, ['gadget.display invalid']],
      [
        'an unknown method',
        { ...hour, reminders: { overrides: [{ method: 'fax', minutes: 5 }] } },
        ['reminders.overrides[0].method invalid'],
      ],
      [
        'half a reminder',
        { ...hour, reminders: { overrides: [{}] } },
        ['reminders.overrides[0].method required', 'reminders.overrides[0].minutes required'],
      ],
      ['no times', { summary: 'When?' }, ['start required', 'end required']],
      ['a created that is no time', { ...hour, created: 'yesterday' }, ['created invalid']],
      ['an updated without offset', { ...hour, updated: '2020-01-01T00:00:00' }, ['updated invalid']],
      ['an empty updated', { ...hour, updated: '' }, ['updated invalid']],
      ['an empty id', { ...hour, id: '' }, ['id invalid']],
      ['an empty iCalUID', { ...hour, iCalUID: '' }, ['iCalUID invalid']],
      ['an organizer without a valid address', { ...hour, organizer: { email: 'boss' } }, ['organizer.email invalid']],
      ['a guest twice', { ...hour, attendees: [{ email: bob }, { email: 'BOB@example.com' }] }, ['attendees[1].email invalid']],
      ['a conference that breaks a limit', { ...hour, conferenceData: { notes: text(2049) } }, ['conferenceData.notes tooLong']],
      ['text with U+0000', { ...hour, location: '\u0000' }, ['location invalid']],
    ])('%s', async (_name, body, issues) => {
      const expected = issues.map((issue) => `${at}[1]${issue.startsWith(' ') ? '' : '.'}${issue}`);
      expect((await issuesOf([hour, body as object])).sort()).toEqual(expected.sort());
    });

    test('the issues of all events at once, and those of one event all together', async () => {
      const wrong = {
        ...hour,
        colour: 3,
        summary: 5,
        description: text(8193),
        end: hour.start,
        reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 1 }] },
      };
      expect((await issuesOf([wrong], [{}])).sort()).toEqual([
        'calendars[0].events[0].colour invalid',
        'calendars[0].events[0].description tooLong',
        'calendars[0].events[0].end timeRangeEmpty',
        'calendars[0].events[0].reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride',
        'calendars[0].events[0].summary invalid',
        'calendars[1].events[0].end required',
        'calendars[1].events[0].start required',
      ]);
    });

    test('two events with one id on one calendar', async () => {
      const event = { ...hour, id: 'twice' };
      expect(await issuesOf([event, event])).toEqual([`${at}[1].id duplicate`]);
      expect(await issuesOf([event, { ...event, iCalUID: 'other@elsewhere.example' }])).toEqual([`${at}[1].id duplicate`]);
      expect(await issuesOf([event], [event], [event])).toEqual([]);
    });
  });
});
