import { alice, bob, hour, startEvents, text, type Controls, type EventGateway } from './event-http.harness.ts';

const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;
const guests = (count: number) => Array.from({ length: count }, (_, index) => ({ email: `guest${index}@example.org` }));
const files = (count: number) => Array.from({ length: count }, (_, index) => ({ fileUrl: `https://files.example.org/${index}` }));
const withFiles: Controls = { supportsAttachments: true };
const maxInt = 2_147_483_647;

type Allowed = readonly [name: string, body: object, controls?: Controls];
type Refused = readonly [name: string, body: object, problem: string, controls?: Controls];

const allowed: readonly Allowed[] = [
  ['a description of 8191 characters', { description: text(8191) }],
  ['a description of 8192 characters', { description: text(8192) }],
  ['a summary of 8192 characters', { summary: text(8192) }],
  ['a location of 8192 characters', { location: text(8192) }],
  ['an empty summary', { summary: '' }],
  ['24 attachments', { attachments: files(24) }, withFiles],
  ['25 attachments', { attachments: files(25) }, withFiles],
  ['an attachment under http', { attachments: [{ fileUrl: 'http://files.example.org/a b' }] }, withFiles],
  ['an attachment’s URL of 8192 characters', { attachments: [{ fileUrl: `https://a.example/${text(8174)}` }] }, withFiles],
  ['a media type of 255 characters', { attachments: [{ ...files(1)[0], mimeType: text(255), title: text(8192) }] }, withFiles],
  ['199 attendees', { attendees: guests(199) }],
  ['200 attendees', { attendees: guests(200) }],
  ['0 additional guests', { attendees: [{ email: bob, additionalGuests: 0 }] }],
  ['as many additional guests as an Int holds', { attendees: [{ email: bob, additionalGuests: maxInt }] }],
  ['a guest with long texts', { attendees: [{ email: bob, comment: text(8192), displayName: text(8192), id: text(1024) }] }],
  ['colorId "1"', { colorId: '1' }],
  ['colorId "11"', { colorId: '11' }],
  ['a gadget of 1 by 1', { gadget: { height: 1, width: 1 } }],
  ['a gadget of 2 by the greatest Int', { gadget: { height: 2, width: maxInt } }],
  ['a gadget as icon', { gadget: { display: 'icon', title: text(8192), type: text(8192) } }],
  ['a gadget as chip', { gadget: { display: 'chip' } }],
  ['a gadget under https', { gadget: { link: 'HTTPS://widgets.example.org/', iconLink: 'https://widgets.example.org/i' } }],
  ['sequence 1', { sequence: 1 }],
  ['the greatest sequence', { sequence: maxInt }],
  ['a source under http', { source: { title: text(8192), url: 'http://www.example.org' } }],
  ['a source under https', { source: { url: 'https://www.example.org' } }],
];

const refused: readonly Refused[] = [
  ['a description of 8193 characters', { description: text(8193) }, bad('description', 'tooLong')],
  ['a summary of 8193 characters', { summary: text(8193) }, bad('summary', 'tooLong')],
  ['a location of 8193 characters', { location: text(8193) }, bad('location', 'tooLong')],
  ['a text with U+0000', { location: 'here\u0000there' }, bad('location', 'invalid')],
  ['half a surrogate pair', { summary: '\ud83d' }, bad('summary', 'invalid')],
  ['26 attachments', { attachments: files(26) }, bad('attachments', 'tooMany'), withFiles],
  ['an attachment without fileUrl', { attachments: [{ title: 'Plan' }] }, bad('attachments.0.fileUrl', 'required'), withFiles],
  [
    'an attachment whose fileUrl is null',
    { attachments: [...files(1), { fileUrl: null }] },
    bad('attachments.1.fileUrl', 'required'),
    withFiles,
  ],
  [
    'an attachment’s URL of 8193 characters',
    { attachments: [{ fileUrl: `https://a.example/${text(8175)}` }] },
    bad('attachments.0.fileUrl', 'tooLong'),
    withFiles,
  ],
  [
    'an attachment that is a script',
    { attachments: [{ fileUrl: 'javascript:alert(1)' }] },
    bad('attachments.0.fileUrl', 'invalid'),
    withFiles,
  ],
  [
    'a scheme broken by a line feed',
    { attachments: [{ fileUrl: 'ht\ntps://a.example' }] },
    bad('attachments.0.fileUrl', 'invalid'),
    withFiles,
  ],
  ['a fileUrl that is no URL', { attachments: [{ fileUrl: 'plan.pdf' }] }, bad('attachments.0.fileUrl', 'invalid'), withFiles],
  [
    'a media type of 256 characters',
    { attachments: [{ ...files(1)[0], mimeType: text(256) }] },
    bad('attachments.0.mimeType', 'tooLong'),
    withFiles,
  ],
  [
    'an attachment’s title of 8193 characters',
    { attachments: [{ ...files(1)[0], title: text(8193) }] },
    bad('attachments.0.title', 'tooLong'),
    withFiles,
  ],
  ['201 attendees', { attendees: guests(201) }, bad('attendees', 'tooMany')],
  ['-1 additional guests', { attendees: [{ email: bob, additionalGuests: -1 }] }, bad('attendees.0.additionalGuests', 'invalid')],
  [
    'a fraction of an additional guest',
    { attendees: [{ email: bob, additionalGuests: 0.5 }] },
    bad('attendees.0.additionalGuests', 'invalid'),
  ],
  [
    'a guest’s comment of 8193 characters',
    { attendees: [{ email: bob, comment: text(8193) }] },
    bad('attendees.0.comment', 'tooLong'),
  ],
  [
    'a guest’s name of 8193 characters',
    { attendees: [{ email: bob, displayName: text(8193) }] },
    bad('attendees.0.displayName', 'tooLong'),
  ],
  ['a guest’s profile id of 1025 characters', { attendees: [{ email: bob, id: text(1025) }] }, bad('attendees.0.id', 'tooLong')],
  ['an unknown answer', { attendees: [{ email: bob, responseStatus: 'maybe' }] }, bad('attendees.0.responseStatus', 'invalid')],
  ['colorId "0"', { colorId: '0' }, bad('colorId', 'invalid')],
  ['colorId "12"', { colorId: '12' }, bad('colorId', 'invalid')],
  ['colorId "01"', { colorId: '01' }, bad('colorId', 'invalid')],
  ['an empty colorId', { colorId: '' }, bad('colorId', 'invalid')],
  ['a gadget of height 0', { gadget: { height: 0 } }, bad('gadget.height', 'invalid')],
  ['a gadget of height -1', { gadget: { height: -1 } }, bad('gadget.height', 'invalid')],
  ['a gadget of width 0', { gadget: { width: 0 } }, bad('gadget.width', 'invalid')],
  ['a gadget of width 1.5', { gadget: { width: 1.5 } }, bad('gadget.width', 'invalid')],
  ['a gadget’s link under http', { gadget: { link: 'http://widgets.example.org/' } }, bad('gadget.link', 'invalid')],
  ['a gadget’s icon under http', { gadget: { iconLink: 'http://widgets.example.org/' } }, bad('gadget.iconLink', 'invalid')],
  ['a gadget’s link after a space', { gadget: { link: ' https://widgets.example.org/' } }, bad('gadget.link', 'invalid')],
  ['an unknown gadget display', { gadget: { display: 'banner' } }, bad('gadget.display', 'invalid')],
  ['a gadget’s title of 8193 characters', { gadget: { title: text(8193) } }, bad('gadget.title', 'tooLong')],
  ['a gadget’s type of 8193 characters', { gadget: { type: text(8193) } }, bad('gadget.type', 'tooLong')],
  ['a gadget’s preference that is no text', { gadget: { preferences: { size: 3 } } }, bad('gadget.preferences.size', 'invalid')],
  ['sequence -1', { sequence: -1 }, bad('sequence', 'invalid')],
  ['a sequence above the greatest Int', { sequence: maxInt + 1 }, bad('sequence', 'invalid')],
  ['a source under ftp', { source: { url: 'ftp://www.example.org' } }, bad('source.url', 'invalid')],
  ['a source that is no URL', { source: { url: 'www.example.org' } }, bad('source.url', 'invalid')],
  ['a source’s title of 8193 characters', { source: { title: text(8193) } }, bad('source.title', 'tooLong')],
  ['an unknown status', { status: 'postponed' }, bad('status', 'invalid')],
  ['an unknown visibility', { visibility: 'secret' }, bad('visibility', 'invalid')],
  ['an unknown transparency', { transparency: 'busy' }, bad('transparency', 'invalid')],
  ['a field that does not exist', { sumary: 'Typo' }, bad('sumary', 'invalid')],
];

describe('limits of an event’s fields', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  test.each(allowed.map(([name, body, controls = {}]): [string, object, Controls] => [name, body, controls]))(
    '%s: stored by a patch and by an insert',
    async (_name, body, controls) => {
      const { event } = await gateway.insert(hour);
      const patched = await gateway.patch(event.id, body, controls);
      expect(patched.problems).toEqual([]);
      expect(patched.notes).toEqual([]);
      expect(patched.event).toMatchObject(body);
      expect((await gateway.read(event.id)).event).toEqual(patched.event);
      const inserted = await gateway.insert({ ...hour, ...body }, controls);
      expect(inserted.problems).toEqual([]);
      expect(inserted.event).toMatchObject(body);
    },
  );

  test.each(
    refused.map(([name, body, problem, controls = {}]): [string, object, string, Controls] => [name, body, problem, controls]),
  )('%s: refused in a patch and in an insert, and nothing is stored', async (_name, body, problem, controls) => {
    const { event } = await gateway.insert(hour);
    const before = await gateway.stored(event.id);
    const patched = await gateway.patch(event.id, body, controls);
    expect(patched.problems).toEqual([problem]);
    expect(patched.status).toBe(200);
    expect(await gateway.stored(event.id)).toBe(before);
    expect((await gateway.insert({ ...hour, ...body }, controls)).problems).toEqual([problem]);
  });

  test('all issues of a body come at once, the first one as the error’s own', async () => {
    const { event } = await gateway.insert(hour);
    const { problems, errors } = await gateway.patch(
      event.id,
      {
        colorId: '12',
        description: text(8193),
        start: { dateTime: '2026-12-01T12:00:00+01:00' },
        attendees: [{ email: 'no address' }, { email: alice }, { email: 'ALICE@example.com' }],
        gadget: { height: 0, link: 'http://a.example' },
      },
      { maxAttendees: 0, conferenceDataVersion: 2 },
    );
    expect([...problems].sort()).toEqual([
      'BAD_USER_INPUT conferenceDataVersion invalid',
      'BAD_USER_INPUT event.attendees.0.email invalid',
      'BAD_USER_INPUT event.attendees.2.email invalid',
      'BAD_USER_INPUT event.colorId invalid',
      'BAD_USER_INPUT event.description tooLong',
      'BAD_USER_INPUT event.end timeRangeEmpty',
      'BAD_USER_INPUT event.gadget.height invalid',
      'BAD_USER_INPUT event.gadget.link invalid',
      'BAD_USER_INPUT maxAttendees invalid',
    ]);
    expect(errors?.[0]?.extensions.reason).toBe(errors?.[0]?.extensions.issues[0]?.reason);
    expect(errors?.[0]?.message).toContain('8 more issues');
  });

  test.each<[string, object, string]>([
    ['attendees', { attendees: Array.from({ length: 20_000 }, () => ({})) }, bad('attendees', 'tooMany')],
    ['the same attendee', { attendees: Array.from({ length: 20_000 }, () => ({ email: bob })) }, bad('attendees', 'tooMany')],
    ['attachments', { attachments: Array.from({ length: 20_000 }, () => ({})) }, bad('attachments', 'tooMany')],
    [
      'reminders',
      { reminders: { overrides: Array.from({ length: 20_000 }, () => ({})) } },
      bad('reminders.overrides', 'eventRemindersCountExceedsLimit'),
    ],
  ])('of %s far beyond the limit, not every entry is told of', async (_name, body, problem) => {
    const { event } = await gateway.insert({ ...hour, attendees: guests(200) });
    const { problems, errors } = await gateway.patch(event.id, body, withFiles);
    expect(problems).toContain(problem);
    const [, more = '0'] = /and (\d+) more/.exec(errors?.[0]?.message ?? '') ?? [];
    expect(Number(more)).toBeLessThan(210);
  });

  test.each([
    ['maxAttendees 0', { maxAttendees: 0 }, ['BAD_USER_INPUT maxAttendees invalid']],
    ['maxAttendees 1', { maxAttendees: 1 }, []],
    ['conferenceDataVersion -1', { conferenceDataVersion: -1 }, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    ['conferenceDataVersion 2', { conferenceDataVersion: 2 }, ['BAD_USER_INPUT conferenceDataVersion invalid']],
    ['conferenceDataVersion null', { conferenceDataVersion: null }, []],
  ])('%s', async (_name, controls, problems) => {
    const { event } = await gateway.insert(hour);
    expect((await gateway.patch(event.id, { summary: 'Any' }, controls)).problems).toEqual(problems);
    expect((await gateway.insert(hour, controls)).problems).toEqual(problems);
  });

  test('a new time of an event with the greatest sequence leaves the sequence there', async () => {
    const { event } = await gateway.insert({ ...hour, sequence: maxInt });
    const later = { start: { dateTime: '2026-12-01T10:30:00+01:00' } };
    const { problems, event: moved } = await gateway.patch(event.id, later);
    expect(problems).toEqual([]);
    expect(moved).toMatchObject({ ...later, sequence: maxInt });
  });

  test('sequence does not go back, and a revision raises it by one', async () => {
    const { event } = await gateway.insert({ ...hour, sequence: 3 });
    expect((await gateway.patch(event.id, { sequence: 2 })).problems).toEqual([bad('sequence', 'invalid')]);
    expect((await gateway.patch(event.id, { sequence: null })).problems).toEqual([bad('sequence', 'invalid')]);
    expect((await gateway.patch(event.id, { sequence: 3 })).event.sequence).toBe(3);
    expect((await gateway.patch(event.id, { sequence: 4 })).event.sequence).toBe(4);
    expect((await gateway.patch(event.id, { summary: 'No revision' })).event.sequence).toBe(4);
    expect((await gateway.patch(event.id, { status: 'tentative' })).event.sequence).toBe(5);
    expect((await gateway.patch(event.id, { recurrence: [] })).event.sequence).toBe(5);
    expect((await gateway.patch(event.id, { sequence: 9, end: { dateTime: '2026-12-01T12:00:00+01:00' } })).event.sequence).toBe(
      9,
    );
  });

  test('attachments are ignored with a warning unless the client supports them', async () => {
    const { event } = await gateway.insert(hour);
    const attachments = [{ fileUrl: 'https://files.example.org/plan' }];
    for (const supportsAttachments of [undefined, false, null]) {
      const ignored = await gateway.patch(event.id, { attachments }, { supportsAttachments });
      expect(ignored.notes).toEqual(['event.attachments ignored']);
      expect(ignored.event).toEqual(event);
    }
    const stored = await gateway.patch(event.id, { attachments }, withFiles);
    expect(stored.notes).toEqual([]);
    expect(stored.event.attachments).toMatchObject(attachments);
    const same = await gateway.patch(event.id, { attachments: stored.event.attachments });
    expect(same.notes).toEqual([]);
    expect(same.event).toEqual(stored.event);
    expect((await gateway.patch(event.id, { attachments: null })).notes).toEqual(['event.attachments ignored']);
    expect((await gateway.patch(event.id, { attachments: null }, withFiles)).event.attachments).toBeNull();
    expect((await gateway.patch(event.id, { attachments: [] })).notes).toEqual([]);
    expect((await gateway.insert({ ...hour, attachments })).notes).toEqual(['event.attachments ignored']);
  });
});
