import {
  bad,
  bob,
  hour,
  many,
  people,
  popup,
  startEvents,
  text,
  type Controls,
  type EventGateway,
  type Shown,
} from './event.harness.ts';

const guests = (count: number) => many(count, (index) => ({ email: `guest${index}@example.org` }));
const files = (count: number) => many(count, (index) => ({ fileUrl: `https://files.example.org/${index}` }));
const file = (change: object) => ({ attachments: [{ ...files(1)[0], ...change }] });
const guest = (change: object) => ({ attendees: [{ email: bob, ...change }] });
const withFiles: Controls = { supportsAttachments: true };
const maxInt = 2_147_483_647;
/** So many entries, and entries that take so many bytes, keys and values together. */
const entries = (count: number, name = 'k', value = '') =>
  Object.fromEntries(many(count, (index) => [`${name}${index}`, value]));
const bytes = (total: number) => {
  const full = Math.floor(total / 1030);
  return {
    ...Object.fromEntries(many(full, (index) => [`key${100 + index}`, text(1024)])),
    ...(total % 1030 > 6 && { rest00: text((total % 1030) - 6) }),
  };
};
const own = (map: object) => ({ extendedProperties: { private: map } });
const shared = (map: object) => ({ extendedProperties: { shared: map } });
const both = (mine: object, ours: object) => ({ extendedProperties: { private: mine, shared: ours } });
const five = [0, 1, 10, 60, 40320].map(popup);
const reminders = (...overrides: object[]) => ({ reminders: { useDefault: false, overrides } });
const [exceeds, excludes] = [
  bad('reminders.overrides', 'eventRemindersCountExceedsLimit'),
  bad('reminders.useDefault', 'cannotUseDefaultRemindersAndSpecifyOverride'),
];
const half = 16 * 1024;

const allowed: Readonly<Record<string, object>> = {
  'long strings': { description: text(8192), summary: text(8192), location: text(8192) },
  'characters counted as such': {
    description: '🐈'.repeat(8192),
    extendedProperties: { private: { ['🐈'.repeat(44)]: '🐈'.repeat(1024) } },
  },
  'empty strings': { summary: '', description: '', location: '' },
  '25 attachments': { attachments: files(25) },
  'attachments under http, with long values': {
    attachments: [{ fileUrl: `http://a.example/${text(8175)}`, mimeType: text(255), title: text(8192) }],
  },
  '200 attendees': { attendees: guests(200) },
  'a guest with long values': {
    attendees: [
      {
        email: 'a@b.example',
        additionalGuests: maxInt,
        comment: text(8192),
        displayName: text(8192),
        id: text(1024),
      },
    ],
  },
  'the first colour': { colorId: '1' },
  'the last colour': { colorId: '11' },
  'a small gadget': {
    gadget: { height: 1, width: maxInt, display: 'icon', title: text(8192), type: text(8192) },
  },
  'a gadget under https': {
    gadget: {
      display: 'chip',
      link: 'HTTPS://widgets.example.org/',
      iconLink: 'https://widgets.example.org/i',
      preferences: { theme: 'dark' },
    },
  },
  'a source under http': { source: { title: text(8192), url: 'http://www.example.org' } },
  '300 properties in both maps': both(entries(150), entries(150)),
  '300 properties in one map': shared(entries(300)),
  'properties with long keys and values, in any script': own({
    [text(44)]: text(1024),
    'größe ✓': '大',
    constructor: 'c',
    toString: '',
  }),
  '32 kB of properties': both(bytes(half), bytes(half)),
  'no reminders': reminders(),
  'five reminders, up to 4 weeks before': reminders(...five),
  'reminders by e-mail': reminders({ method: 'email', minutes: 10 }),
  'the reminders of the calendar': { reminders: { useDefault: true } },
  'those and an empty list': { reminders: { useDefault: true, overrides: [] } },
  'every other choice': {
    visibility: 'public',
    transparency: 'transparent',
    status: 'tentative',
    guestsCanSeeOtherGuests: false,
    anyoneCanAddSelf: true,
    endTimeUnspecified: true,
  },
};

const refused: readonly (readonly [name: string, body: object, ...problems: string[]])[] = [
  ['a long description', { description: text(8193) }, bad('description', 'tooLong')],
  ['a long summary', { summary: text(8193) }, bad('summary', 'tooLong')],
  ['a long location', { location: text(8193) }, bad('location', 'tooLong')],
  ['U+0000', { location: 'here\u0000there' }, bad('location', 'invalid')],
  ['half a surrogate pair', { summary: '\ud83d' }, bad('summary', 'invalid')],
  ['26 attachments', { attachments: files(26) }, bad('attachments', 'tooMany')],
  [
    'no fileUrl',
    { attachments: [{ title: 'Plan' }, { fileUrl: null }] },
    bad('attachments.0.fileUrl', 'required'),
    bad('attachments.1.fileUrl', 'required'),
  ],
  [
    'a long fileUrl',
    file({ fileUrl: `https://a.example/${text(8175)}` }),
    bad('attachments.0.fileUrl', 'tooLong'),
  ],
  ['a script', file({ fileUrl: 'javascript:alert(1)' }), bad('attachments.0.fileUrl', 'invalid')],
  ['a broken scheme', file({ fileUrl: 'ht\ntps://a.example' }), bad('attachments.0.fileUrl', 'invalid')],
  ['no URL', file({ fileUrl: 'plan.pdf' }), bad('attachments.0.fileUrl', 'invalid')],
  ['a long media type', file({ mimeType: text(256) }), bad('attachments.0.mimeType', 'tooLong')],
  ['a long title', file({ title: text(8193) }), bad('attachments.0.title', 'tooLong')],
  ['201 attendees', { attendees: guests(201) }, bad('attendees', 'tooMany')],
  ['-1 additional guests', guest({ additionalGuests: -1 }), bad('attendees.0.additionalGuests', 'invalid')],
  ['half a guest', guest({ additionalGuests: 0.5 }), bad('attendees.0.additionalGuests', 'invalid')],
  ['an unknown answer', guest({ responseStatus: 'maybe' }), bad('attendees.0.responseStatus', 'invalid')],
  [
    'a long comment',
    { attendees: [{ email: 'a@b.example', comment: text(8193) }] },
    bad('attendees.0.comment', 'tooLong'),
  ],
  ['a long name', guest({ displayName: text(8193) }), bad('attendees.0.displayName', 'tooLong')],
  ['a long profile id', guest({ id: text(1025) }), bad('attendees.0.id', 'tooLong')],
  ...['0', '12', '01', ''].map(
    (colorId) => [`colorId "${colorId}"`, { colorId }, bad('colorId', 'invalid')] as const,
  ),
  ['a gadget of no height', { gadget: { height: 0 } }, bad('gadget.height', 'invalid')],
  [
    'preferences of more than 32 kB',
    { gadget: { preferences: bytes(32 * 1024 + 8) } },
    bad('gadget.preferences', 'tooLong'),
  ],
  ['a gadget of width 1.5', { gadget: { width: 1.5 } }, bad('gadget.width', 'invalid')],
  ['a gadget of width -1', { gadget: { width: -1 } }, bad('gadget.width', 'invalid')],
  ["a gadget's link under http", { gadget: { link: 'http://a.example' } }, bad('gadget.link', 'invalid')],
  [
    "a gadget's icon under http",
    { gadget: { iconLink: 'http://a.example' } },
    bad('gadget.iconLink', 'invalid'),
  ],
  ['a link after a space', { gadget: { link: ' https://a.example' } }, bad('gadget.link', 'invalid')],
  ['an unknown display', { gadget: { display: 'banner' } }, bad('gadget.display', 'invalid')],
  [
    'long gadget strings',
    { gadget: { title: text(8193), type: text(8193) } },
    bad('gadget.title', 'tooLong'),
    bad('gadget.type', 'tooLong'),
  ],
  [
    'a preference that is a number',
    { gadget: { preferences: { size: 3 } } },
    bad('gadget.preferences.size', 'invalid'),
  ],
  ['sequence -1', { sequence: -1 }, bad('sequence', 'invalid')],
  ['a sequence above Int', { sequence: maxInt + 1 }, bad('sequence', 'invalid')],
  ['a source under ftp', { source: { url: 'ftp://a.example' } }, bad('source.url', 'invalid')],
  ['a source that is no URL', { source: { url: 'a.example' } }, bad('source.url', 'invalid')],
  ['a long source', { source: { title: text(8193) } }, bad('source.title', 'tooLong')],
  ['an unknown status', { status: 'postponed' }, bad('status', 'invalid')],
  ['an unknown visibility', { visibility: 'secret' }, bad('visibility', 'invalid')],
  ['an unknown transparency', { transparency: 'busy' }, bad('transparency', 'invalid')],
  ['a field that does not exist', { sumary: 'Typo' }, bad('sumary', 'invalid')],
  ['301 properties in one map', shared(entries(301)), bad('extendedProperties', 'tooMany')],
  ['301 in both', both(entries(150), entries(151)), bad('extendedProperties', 'tooMany')],
  [
    'a key of 45 characters',
    own({ [text(45)]: 'v' }),
    bad(`extendedProperties.private.${text(45)}`, 'tooLong'),
  ],
  ['a value of 1025', shared({ k: text(1025) }), bad('extendedProperties.shared.k', 'tooLong')],
  ['an empty key', shared({ '': 'v' }), bad('extendedProperties.shared.', 'invalid')],
  ['a value that is a number', own({ k: 1 }), bad('extendedProperties.private.k', 'invalid')],
  ['a map that is a list', own(['a']), bad('extendedProperties.private', 'invalid')],
  ['a byte above 32 kB', both(bytes(half), bytes(half + 1)), bad('extendedProperties', 'tooLong')],
  [
    'above 32 kB in bytes, not in characters',
    shared(entries(20, 'k', 'ü'.repeat(1024))),
    bad('extendedProperties', 'tooLong'),
  ],
  ['-1 minutes', reminders(popup(-1)), bad('reminders.overrides.0.minutes', 'invalid')],
  ['40321 minutes', reminders(popup(5), popup(40321)), bad('reminders.overrides.1.minutes', 'invalid')],
  ['half a minute', reminders(popup(0.5)), bad('reminders.overrides.0.minutes', 'invalid')],
  [
    'an unknown method',
    reminders({ method: 'fax', minutes: 5 }),
    bad('reminders.overrides.0.method', 'invalid'),
  ],
  [
    'an empty reminder',
    reminders({}),
    bad('reminders.overrides.0.method', 'required'),
    bad('reminders.overrides.0.minutes', 'required'),
  ],
  ['a reminder of null', reminders(null as never), bad('reminders.overrides.0', 'required')],
  ['six reminders', reminders(...five, popup(7)), exceeds],
  ['useDefault with overrides', { reminders: { useDefault: true, overrides: [popup(5)] } }, excludes],
  [
    'useDefault with six',
    { reminders: { useDefault: true, overrides: [...five, popup(7)] } },
    exceeds,
    excludes,
  ],
];

describe('the fields of an event', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const attached = [{ fileUrl: 'https://a.example', fileId: 'f1', iconLink: 'https://icons.example/pdf' }];
    const texted = { useDefault: false, overrides: [{ method: 'sms', minutes: 30 }] };
    gateway = await startEvents({
      seed: {
        calendars: people([
          { ...hour, id: 'attached', attachments: attached },
          { ...hour, id: 'texted', reminders: texted },
        ]),
      },
    });
  });
  afterAll(() => gateway.close());

  test.each(Object.entries(allowed))('%s: stored by a patch and by an insert', async (_name, body) => {
    const { id } = await gateway.make();
    const patched = await gateway.change(id, body, withFiles);
    expect(patched).toMatchObject(body);
    expect((await gateway.read(id)).event).toEqual(patched);
    expect(await gateway.make(body, withFiles)).toMatchObject(body);
  });

  test.each(refused.map(([name, body, ...problems]) => ({ name, body, problems })))(
    '$name: refused in a patch and in an insert, nothing is stored, figures are told',
    async ({ body, problems }) => {
      const event = await gateway.make();
      const patched = await gateway.patch(event.id, body, withFiles);
      expect(patched.problems).toEqual(problems);
      for (const { reason, params } of patched.errors?.[0]?.extensions.issues ?? []) {
        if (/tooLong|tooMany|Limit$/.test(reason))
          expect(params).toMatchObject({ max: expect.any(Number), actual: expect.any(Number) });
      }
      expect((await gateway.read(event.id)).event).toEqual(event);
      expect((await gateway.insert({ ...hour, ...body }, withFiles)).problems).toEqual(problems);
    },
  );

  test('the key __proto__ of a map is refused, and changes no prototype', async () => {
    const { id } = await gateway.make();
    const [problem] = (await gateway.patch(id, own(JSON.parse('{"__proto__": "p"}') as object))).problems;
    expect(problem).toMatch(/^BAD_USER_INPUT event\.extendedProperties\.private\S* invalid$/);
  });

  test('a patch of a map or of reminders is validated together with what is stored', async () => {
    const { id } = await gateway.make({ ...own(entries(299, 'a')), ...reminders(popup(5)) });
    expect((await gateway.patch(id, shared(entries(2, 'b')))).problems).toEqual([
      bad('extendedProperties', 'tooMany'),
    ]);
    expect(await gateway.change(id, shared(entries(1, 'b')))).toMatchObject(shared({ b0: '' }));
    expect((await gateway.change(id, shared({ b0: null, c: 'new' }))).extendedProperties.shared).toEqual({
      c: 'new',
    });
    expect((await gateway.patch(id, { reminders: { useDefault: true } })).problems).toEqual([excludes]);
    expect(
      (await gateway.change(id, { reminders: { useDefault: true, overrides: null } })).reminders,
    ).toEqual({ useDefault: true, overrides: null });
    expect((await gateway.patch(id, { reminders: { overrides: [popup(5)] } })).problems).toEqual([excludes]);
  });

  test('an insert without reminders, or with null, uses the defaults of the calendar', async () => {
    for (const body of [{}, { reminders: null }, { reminders: {} }])
      expect((await gateway.make(body)).reminders).toEqual({ useDefault: true, overrides: null });
    const { reminders: alone } = await gateway.make({ reminders: { overrides: [popup(5)] } });
    expect(alone).toEqual({ useDefault: false, overrides: [popup(5)] });
  });

  describe('reminders by text message', () => {
    const sms = (minutes: number) => ({ method: 'sms', minutes });
    test.each<[string, object, Shown[], number[]]>([
      [
        'is ignored with a warning, the others are stored',
        reminders(sms(30), popup(5), sms(60)),
        [popup(5)],
        [0, 2],
      ],
      ['is no sixth', reminders(...five, sms(3)), five, [5]],
    ])('a new one %s', async (_name, body, stored, ignored) => {
      const { id } = await gateway.make();
      for (const answer of [await gateway.insert({ ...hour, ...body }), await gateway.patch(id, body)]) {
        expect([answer.problems, answer.notes]).toEqual([
          [],
          ignored.map((index) => `event.reminders.overrides.${index} ignored`),
        ]);
        expect(answer.event.reminders.overrides).toEqual(stored);
      }
    });

    test('a stored one stays when it is sent again; an issue beside a new one has the path at which it was sent', async () => {
      expect((await gateway.change('texted', reminders(sms(30), popup(5)))).reminders.overrides).toEqual([
        sms(30),
        popup(5),
      ]);
      const again = await gateway.patch('texted', reminders(sms(30), sms(5), popup(5)));
      expect([again.notes, again.event.reminders.overrides]).toEqual([
        ['event.reminders.overrides.1 ignored'],
        [sms(30), popup(5)],
      ]);
      expect((await gateway.patch('texted', reminders(sms(1), popup(1), popup(-1)))).problems).toEqual([
        bad('reminders.overrides.2.minutes', 'invalid'),
      ]);
    });
  });

  describe('attachments', () => {
    test.each([undefined, false, null])(
      'with supportsAttachments %s are ignored with a warning, unless they are what is stored',
      async (supportsAttachments) => {
        const before = await gateway.make({ attachments: files(2) }, withFiles);
        for (const attachments of [files(1), [], null]) {
          const ignored = await gateway.patch(before.id, { attachments }, { supportsAttachments });
          expect([ignored.notes, ignored.event]).toEqual([['event.attachments ignored'], before]);
        }
        for (const attachments of [before.attachments, files(2)])
          expect(await gateway.change(before.id, { attachments }, { supportsAttachments })).toEqual(before);
        const { event } = await gateway.insert({ ...hour, attachments: files(1) }, { supportsAttachments });
        expect(event.attachments).toBeNull();
      },
    );

    test('keep with their fileUrl what the server filled in; other values for it are ignored', async () => {
      const answer = await gateway.patch(
        'attached',
        {
          attachments: [
            { fileUrl: 'https://b.example' },
            { fileUrl: 'https://a.example', title: 'New', fileId: 'f2' },
          ],
        },
        withFiles,
      );
      expect([answer.problems, answer.notes]).toEqual([[], ['event.attachments.1.fileId readOnly']]);
      expect(answer.event.attachments).toMatchObject([
        { fileId: null, iconLink: null },
        { fileId: 'f1', iconLink: 'https://icons.example/pdf', title: 'New' },
      ]);
      expect((await gateway.change('attached', { attachments: null }, withFiles)).attachments).toBeNull();
    });
  });
});
