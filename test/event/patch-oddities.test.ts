import { bob, hour, startEvents, text, type Controls, type EventGateway } from './event-http.harness.ts';

const both: Controls = { supportsAttachments: true, conferenceDataVersion: 1 };
const zone = 'Europe/Berlin';
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const parts = (event: object, ...names: string[]) => names.map((name) => (event as Record<string, unknown>)[name]);

/** What no operation lets in, but an older version, an import or an operator's hand could have left in the store. */
const oddities: readonly (readonly [name: string, core: object, copy?: object])[] = [
  ['a description that is too long', { description: text(9000) }],
  ['a summary that is too long', { summary: text(9000) }],
  ['26 attachments', { attachments: many(26, (index) => ({ fileUrl: `https://a.example/${index}` })) }],
  ['an attachment without fileUrl', { attachments: [{ title: 'Plan' }] }],
  ['an attachment that is a script', { attachments: [{ fileUrl: 'javascript:alert(1)' }] }],
  ['201 guests', { attendees: many(201, (index) => ({ email: `guest${index}@example.org` })) }],
  ['a guest without an address', { attendees: [{ displayName: 'Nobody' }, { email: bob }] }],
  ['a guest without a valid address', { attendees: [{ email: 'nowhere' }, { email: bob }] }],
  ['the same guest twice', { attendees: [{ email: bob }, { email: bob }] }],
  ['a negative number of guests', { attendees: [{ email: bob, additionalGuests: -3 }] }],
  ['a gadget of no height', { gadget: { height: 0, link: 'http://a.example' } }],
  ['a source of another scheme', { source: { url: 'ftp://a.example' } }],
  ['a zone that does not exist', { start: { ...hour.start, timeZone: 'Mars/Olympus' } }],
  ['an end before the start', { end: { dateTime: '2026-12-01T09:00:00+01:00' } }],
  ['an end of another kind', { end: { date: '2026-12-02' } }],
  ['no end', { end: undefined }],
  ['a rule that is none', { recurrence: ['RRULE:FREQ=NEVER'] }],
  ['a series without a zone', { recurrence: ['RRULE:FREQ=DAILY'] }],
  ['an instance that recurs', { recurringEventId: 'series', recurrence: ['RRULE:FREQ=DAILY'] }],
  ['an original start that is none', { originalStartTime: { timeZone: zone } }],
  ['a sequence below zero', { sequence: -5 }],
  [
    'a conference with two video entry points',
    {
      conferenceData: {
        entryPoints: many(2, (index) => ({ entryPointType: 'video', uri: `ftp://${index}` })),
        notes: text(3000),
      },
    },
  ],
  [
    'shared properties beyond all limits',
    { sharedProperties: Object.fromEntries(many(400, (index) => [`${text(60)}${index}`, text(100)])) },
  ],
  ['a colour that does not exist', {}, { colorId: '99' }],
  ['six reminders', {}, { reminders: { overrides: many(6, (minutes) => ({ method: 'popup', minutes })) } }],
  ['reminders beside useDefault', {}, { reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 5 }] } }],
  ['a reminder out of range', {}, { reminders: { overrides: [{ method: 'popup', minutes: 99_999 }] } }],
  ['a reminder without a method', {}, { reminders: { overrides: [{ minutes: 5 }] } }],
  ['a private property that is too long', {}, { privateProperties: { key: text(2000) } }],
];

describe('an oddity in the store never stands in the way of an unrelated change', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  test.each(oddities.map(([name, core, copy = {}]): [string, object, object] => [name, core, copy]))(
    '%s',
    async (_name, core, copy) => {
      const { event } = await gateway.insert({ ...hour, summary: 'Plain' });
      await gateway.disturb(event.id, core, copy);
      const before = (await gateway.read(event.id)).event;

      const same = await gateway.patch(event.id, before, both);
      expect({ problems: same.problems, notes: same.notes }).toEqual({ problems: [], notes: [] });
      expect(same.event).toEqual(before);

      const alone = await gateway.patch(event.id, { location: 'Room 1' }, both);
      expect({ problems: alone.problems, notes: alone.notes }).toEqual({ problems: [], notes: [] });

      const whole = await gateway.patch(event.id, { ...before, location: 'Room 2' }, both);
      expect({ problems: whole.problems, notes: whole.notes }).toEqual({
        problems: [],
        // What was read is older by now.
        notes: ['event.etag readOnly', 'event.updated readOnly'],
      });
      const { etag, updated } = whole.event;
      expect(whole.event).toEqual({ ...before, location: 'Room 2', etag, updated });
    },
  );

  test.each<[string, object, object]>([
    [
      'a move, of an end in a zone that does not exist',
      { end: { ...hour.end, timeZone: 'Mars/Olympus' } },
      { start: { dateTime: '2026-12-01T10:30:00+01:00' } },
    ],
    [
      'a move, of a series with a rule that is none',
      { recurrence: ['RRULE:FREQ=NEVER'], start: { ...hour.start, timeZone: zone }, end: { ...hour.end, timeZone: zone } },
      { start: { dateTime: '2026-12-01T10:30:00+01:00' } },
    ],
    [
      'a move, of a series that only excludes',
      { recurrence: ['EXDATE:20261208T090000Z'], start: { ...hour.start, timeZone: zone }, end: { ...hour.end, timeZone: zone } },
      { start: { dateTime: '2026-12-01T10:30:00+01:00' } },
    ],
    [
      'a move, of an original start that is none',
      { originalStartTime: { timeZone: 'Mars/Olympus' } },
      { start: { dateTime: '2026-12-01T10:30:00+01:00' } },
    ],
    ['the title of a gadget of no height', { gadget: { height: 0 } }, { gadget: { title: 'Count' } }],
    ['the title of a source of another scheme', { source: { url: 'ftp://a.example' } }, { source: { title: 'Tracker' } }],
    [
      'an attachment more beside one that is a script',
      { attachments: [{ fileUrl: 'javascript:alert(1)' }] },
      { attachments: [{ fileUrl: 'https://a.example' }, { fileUrl: 'javascript:alert(1)' }] },
    ],
    [
      'an unspecified end, of an end before the start',
      { end: { dateTime: '2026-12-01T09:00:00+01:00' } },
      { endTimeUnspecified: true },
    ],
    [
      'a rule more beside one that is none',
      { recurrence: ['RRULE:FREQ=NEVER'], start: { ...hour.start, timeZone: zone }, end: { ...hour.end, timeZone: zone } },
      { recurrence: ['RRULE:FREQ=NEVER', 'RRULE:FREQ=DAILY'] },
    ],
  ])('%s: the neighbour of an oddity can change', async (_name, core, body) => {
    const { event } = await gateway.insert(hour);
    await gateway.disturb(event.id, core);
    const { problems, event: changed } = await gateway.patch(event.id, body, both);
    expect(problems).toEqual([]);
    expect(changed.etag).not.toBe(event.etag);
  });

  test.each<[string, object, object, string]>([
    ['another text that is too long', { description: text(9000) }, { description: text(8999) }, 'description tooLong'],
    [
      'a start that still is not before the end',
      { end: { dateTime: '2026-12-01T09:00:00+01:00' } },
      { start: { dateTime: '2026-12-01T09:30:00+01:00' } },
      'end timeRangeEmpty',
    ],
    [
      'a start that still is of another kind than the end',
      { end: { date: '2026-12-02' } },
      { start: { dateTime: '2026-12-01T09:30:00+01:00' } },
      'end invalid',
    ],
    ['a start, where there is no end', { end: undefined }, { start: { dateTime: '2026-12-01T09:30:00+01:00' } }, 'end required'],
    [
      'a rule, where there is no zone',
      { end: { ...hour.end, timeZone: zone } },
      { recurrence: ['RRULE:FREQ=DAILY'] },
      'start.timeZone required',
    ],
    [
      'another list of 26 attachments',
      { attachments: many(27, (index) => ({ fileUrl: `https://a.example/${index}` })) },
      { attachments: many(26, (index) => ({ fileUrl: `https://a.example/${index}` })) },
      'attachments tooMany',
    ],
    [
      'another wrong rule',
      { recurrence: ['RRULE:FREQ=NEVER'], start: { ...hour.start, timeZone: zone }, end: { ...hour.end, timeZone: zone } },
      { recurrence: ['RRULE:FREQ=EVER'] },
      'recurrence.0 invalid',
    ],
  ])('%s: what a change does touch is judged', async (_name, core, body, problem) => {
    const { event } = await gateway.insert(hour);
    await gateway.disturb(event.id, core);
    const before = await gateway.stored(event.id);
    expect((await gateway.patch(event.id, body, both)).problems).toEqual([`BAD_USER_INPUT event.${problem}`]);
    expect(await gateway.stored(event.id)).toBe(before);
  });

  test('text that cannot be written as UTF-8 passes where it stood, and nowhere else', async () => {
    const { event } = await gateway.insert(hour);
    await gateway.disturb(event.id, { location: 'half \ud83d', sharedProperties: { 'k\ud83d': 'v' } });
    const before = (await gateway.read(event.id)).event;
    expect(parts(before, 'location')).toEqual(['half \ud83d']);
    expect((await gateway.patch(event.id, before)).problems).toEqual([]);
    const { problems } = await gateway.patch(event.id, { ...before, summary: before.location });
    expect(problems).toEqual(['BAD_USER_INPUT event.summary invalid']);
  });
});
