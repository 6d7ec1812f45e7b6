import {
  bob,
  oneHour,
  makeMany,
  sampleCalendars,
  popupOverride,
  textOfLength,
  type Controls,
  type EventJson,
  useEventGateway,
} from './event.harness.ts';

const makeAttachments = (count: number) =>
  makeMany(count, (index) => ({ fileUrl: `https://files.example.org/${index}` }));
const withAttachment = (change: object) => ({ attachments: [{ ...makeAttachments(1)[0], ...change }] });
const withGuest = (change: object) => ({ attendees: [{ email: bob, ...change }] });
const attachmentSupport: Controls = { supportsAttachments: true };
const maxInt = 2_147_483_647;
/** Makes a map with `count` entries. */
const makeMap = (count: number, name = 'k', value = '') =>
  Object.fromEntries(makeMany(count, (index) => [`${name}${index}`, value]));
/** Makes a map whose keys (six bytes each) and values (up to 1024) have `totalBytes` together. */
const makeMapOfBytes = (totalBytes: number) => ({
  ...Object.fromEntries(
    makeMany(Math.floor(totalBytes / 1030), (index) => [`key${100 + index}`, textOfLength(1024)]),
  ),
  ...(totalBytes % 1030 > 6 && { rest00: textOfLength((totalBytes % 1030) - 6) }),
});
const privateMap = (map: object) => ({ extendedProperties: { private: map } });
const sharedMap = (map: object) => ({ extendedProperties: { shared: map } });
const bothMaps = (privateProperties: object, sharedProperties: object) => ({
  extendedProperties: { private: privateProperties, shared: sharedProperties },
});
const fiveReminders = [0, 1, 10, 60, 40320].map(popupOverride);
const sixReminders = [...fiveReminders, popupOverride(7)];
const makeReminders = (...overrides: object[]) => ({ reminders: { useDefault: false, overrides } });
const tooManyReminders = 'reminders.overrides eventRemindersCountExceedsLimit';
const defaultsWithOverrides = 'reminders.useDefault cannotUseDefaultRemindersAndSpecifyOverride';
/** Private and shared properties of an event may have 32 kB together. */
const halfLimitBytes = 16 * 1024;

const withPreferences = (preferences: object) => ({ gadget: { preferences } });
const umlauts = makeMap(20, 'k', 'ü'.repeat(1024));
/** Bodies at the limits of their fields, by the name of their test. */
const validBodies: Readonly<Record<string, object>> = {
  'texts at their limits, counted in characters': {
    description: '🐈'.repeat(8192),
    ...privateMap({ ['🐈'.repeat(44)]: '🐈'.repeat(1024) }),
  },
  'empty strings': { summary: '', description: '', location: '' },
  'an attachment under http': { attachments: [{ fileUrl: 'http://a.example/' }] },
  'a guest who brings many': withGuest({ email: 'a@b.example', additionalGuests: maxInt }),
  'the first colour': { colorId: '1' },
  'the last colour': { colorId: '11' },
  'a small gadget': { gadget: { height: 1, width: maxInt, display: 'icon' } },
  'a gadget under https': {
    gadget: {
      display: 'chip',
      link: 'HTTPS://a.example/',
      iconLink: 'https://a.example/i',
      preferences: { theme: 'dark' },
    },
  },
  'a source under http': { source: { url: 'http://www.example.org' } },
  '300 properties in both maps': bothMaps(makeMap(150), makeMap(150)),
  '300 properties in one map': sharedMap(makeMap(300)),
  'properties with long keys, in any script': privateMap({
    [textOfLength(44)]: 'v',
    'größe ✓': '大',
    constructor: 'c',
    toString: '',
  }),
  '32 kB of properties': bothMaps(makeMapOfBytes(halfLimitBytes), makeMapOfBytes(halfLimitBytes)),
  'no reminders': makeReminders(),
  'five reminders, up to 4 weeks before': makeReminders(...fiveReminders),
  'reminders by e-mail': makeReminders({ method: 'email', minutes: 10 }),
  'the reminders of the calendar': { reminders: { useDefault: true } },
  'calendar defaults with an empty list': { reminders: { useDefault: true, overrides: [] } },
  'every other choice': {
    visibility: 'public',
    transparency: 'transparent',
    status: 'tentative',
    guestsCanSeeOtherGuests: false,
    anyoneCanAddSelf: true,
    endTimeUnspecified: true,
  },
};

const invalidBodies: readonly (readonly [name: string, body: object, ...problems: string[]])[] = [
  ['a long description', { description: textOfLength(8193) }, 'description tooLong'],
  ['U+0000', { location: 'here\u0000there' }, 'location invalid'],
  ['half a surrogate pair', { summary: '\ud83d' }, 'summary invalid'],
  ['26 attachments', { attachments: makeAttachments(26) }, 'attachments tooMany'],
  ['no fileUrl', { attachments: [{ title: 'Plan' }] }, 'attachments.0.fileUrl required'],
  ['a fileUrl of null', withAttachment({ fileUrl: null }), 'attachments.0.fileUrl required'],
  ['a script', withAttachment({ fileUrl: 'javascript:alert(1)' }), 'attachments.0.fileUrl invalid'],
  ['a broken scheme', withAttachment({ fileUrl: 'ht\ntps://a.example' }), 'attachments.0.fileUrl invalid'],
  ['no URL', withAttachment({ fileUrl: 'plan.pdf' }), 'attachments.0.fileUrl invalid'],
  ['-1 additional guests', withGuest({ additionalGuests: -1 }), 'attendees.0.additionalGuests invalid'],
  ['half a guest', withGuest({ additionalGuests: 0.5 }), 'attendees.0.additionalGuests invalid'],
  ['an unknown response', withGuest({ responseStatus: 'maybe' }), 'attendees.0.responseStatus invalid'],
  ['colorId 0', { colorId: '0' }, 'colorId invalid'],
  ['colorId 12', { colorId: '12' }, 'colorId invalid'],
  ['colorId 01', { colorId: '01' }, 'colorId invalid'],
  ['an empty colorId', { colorId: '' }, 'colorId invalid'],
  ['a gadget of no height', { gadget: { height: 0 } }, 'gadget.height invalid'],
  ['over 32 kB of preferences', withPreferences(makeMapOfBytes(32 * 1024 + 8)), 'gadget.preferences tooLong'],
  ['a gadget of width 1.5', { gadget: { width: 1.5 } }, 'gadget.width invalid'],
  ['a gadget of width -1', { gadget: { width: -1 } }, 'gadget.width invalid'],
  ["a gadget's link under http", { gadget: { link: 'http://a.example' } }, 'gadget.link invalid'],
  ["a gadget's icon under http", { gadget: { iconLink: 'http://a.example' } }, 'gadget.iconLink invalid'],
  ['a link after a space', { gadget: { link: ' https://a.example' } }, 'gadget.link invalid'],
  ['an unknown display', { gadget: { display: 'banner' } }, 'gadget.display invalid'],
  ['a preference that is a number', withPreferences({ size: 3 }), 'gadget.preferences.size invalid'],
  ['sequence -1', { sequence: -1 }, 'sequence invalid'],
  ['a sequence above Int', { sequence: maxInt + 1 }, 'sequence invalid'],
  ['a source under ftp', { source: { url: 'ftp://a.example' } }, 'source.url invalid'],
  ['a source that is no URL', { source: { url: 'a.example' } }, 'source.url invalid'],
  ['an unknown status', { status: 'postponed' }, 'status invalid'],
  ['an unknown visibility', { visibility: 'secret' }, 'visibility invalid'],
  ['an unknown transparency', { transparency: 'busy' }, 'transparency invalid'],
  ['a field that does not exist', { sumary: 'Typo' }, 'sumary invalid'],
  ['301 properties in one map', sharedMap(makeMap(301)), 'extendedProperties tooMany'],
  ['301 in both', bothMaps(makeMap(150), makeMap(151)), 'extendedProperties tooMany'],
  [
    'a long key',
    privateMap({ [textOfLength(45)]: 'v' }),
    `extendedProperties.private.${textOfLength(45)} tooLong`,
  ],
  ['an empty key', sharedMap({ '': 'v' }), 'extendedProperties.shared. invalid'],
  ['a value that is a number', privateMap({ k: 1 }), 'extendedProperties.private.k invalid'],
  ['a map that is a list', privateMap(['a']), 'extendedProperties.private invalid'],
  [
    'a byte too many',
    bothMaps(makeMapOfBytes(halfLimitBytes), makeMapOfBytes(halfLimitBytes + 1)),
    'extendedProperties tooLong',
  ],
  ['above 32 kB in bytes, not in characters', sharedMap(umlauts), 'extendedProperties tooLong'],
  ['-1 minutes', makeReminders(popupOverride(-1)), 'reminders.overrides.0.minutes invalid'],
  [
    '40321 minutes',
    makeReminders(popupOverride(5), popupOverride(40321)),
    'reminders.overrides.1.minutes invalid',
  ],
  ['half a minute', makeReminders(popupOverride(0.5)), 'reminders.overrides.0.minutes invalid'],
  ['an unknown method', makeReminders({ method: 'fax', minutes: 5 }), 'reminders.overrides.0.method invalid'],
  ['a reminder without method', makeReminders({ minutes: 5 }), 'reminders.overrides.0.method required'],
  [
    'a reminder without minutes',
    makeReminders({ method: 'popup' }),
    'reminders.overrides.0.minutes required',
  ],
  ['a reminder of null', makeReminders(null as never), 'reminders.overrides.0 required'],
  ['six reminders', makeReminders(...sixReminders), tooManyReminders],
  [
    'useDefault with overrides',
    { reminders: { useDefault: true, overrides: [popupOverride(5)] } },
    defaultsWithOverrides,
  ],
  [
    'useDefault with six',
    { reminders: { useDefault: true, overrides: sixReminders } },
    tooManyReminders,
    defaultsWithOverrides,
  ],
];

describe('the fields of an event', () => {
  const attachments = [{ fileUrl: 'https://a.example', fileId: 'f1', iconLink: 'https://icons.example/pdf' }];
  const calendars = sampleCalendars([
    { ...oneHour, id: 'attached', attachments },
    { ...oneHour, id: 'texted', ...makeReminders({ method: 'sms', minutes: 30 }) },
  ]);
  const gateway = useEventGateway({ seed: { calendars } });

  test.each(Object.entries(validBodies))('%s: stored by a patch and an insert', async (_name, body) => {
    const { id } = await gateway.makeEvent();
    const patched = await gateway.changeEvent(id, body, attachmentSupport);
    expect(patched).toMatchObject(body);
    expect((await gateway.read(id)).event).toEqual(patched);
    expect(await gateway.makeEvent(body, attachmentSupport)).toMatchObject(body);
  });

  test.each(invalidBodies.map(([name, body, ...problems]) => ({ name, body, problems })))(
    '$name: refused in a patch and an insert, with the limit, and not stored',
    async ({ body, problems }) => {
      const event = await gateway.makeEvent();
      const { errors } = await gateway.expectPatchRefused(event.id, body, problems, attachmentSupport);
      for (const { reason, params } of errors?.[0]?.extensions.issues ?? []) {
        if (/tooLong|tooMany|Limit$/.test(reason))
          expect(params).toMatchObject({ max: expect.any(Number), actual: expect.any(Number) });
      }
      expect((await gateway.read(event.id)).event).toEqual(event);
      await gateway.expectInsertRefused(body, problems, attachmentSupport);
    },
  );

  test('a patch of a map or of reminders is validated together with the stored values', async () => {
    const { id } = await gateway.makeEvent({
      ...privateMap(makeMap(299, 'a')),
      ...makeReminders(popupOverride(5)),
    });
    await gateway.expectPatchRefused(id, sharedMap(makeMap(2, 'b')), ['extendedProperties tooMany']);
    expect(await gateway.changeEvent(id, sharedMap(makeMap(1, 'b')))).toMatchObject(sharedMap({ b0: '' }));
    const { extendedProperties } = await gateway.changeEvent(id, sharedMap({ b0: null, c: 'new' }));
    expect(extendedProperties.shared).toEqual({ c: 'new' });
    await gateway.expectPatchRefused(id, { reminders: { useDefault: true } }, [defaultsWithOverrides]);
    const defaultReminders = { useDefault: true, overrides: null };
    const eventAfterReset = await gateway.changeEvent(id, { reminders: defaultReminders });
    expect(eventAfterReset.reminders).toEqual(defaultReminders);
    await gateway.expectPatchRefused(id, { reminders: { overrides: [popupOverride(5)] } }, [
      defaultsWithOverrides,
    ]);
  });

  test('an insert without reminders, or with null, uses the defaults of the calendar', async () => {
    for (const body of [{}, { reminders: null }, { reminders: {} }])
      expect((await gateway.makeEvent(body)).reminders).toEqual({ useDefault: true, overrides: null });
    const { reminders: ownReminders } = await gateway.makeEvent({
      reminders: { overrides: [popupOverride(5)] },
    });
    expect(ownReminders).toEqual({ useDefault: false, overrides: [popupOverride(5)] });
  });

  describe('reminders by text message', () => {
    const makeSmsReminder = (minutes: number) => ({ method: 'sms', minutes });
    test.each<[string, object, EventJson[], number[]]>([
      [
        'is ignored, and others are stored',
        makeReminders(makeSmsReminder(30), popupOverride(5), makeSmsReminder(60)),
        [popupOverride(5)],
        [0, 2],
      ],
      ['does not count as a sixth', makeReminders(...fiveReminders, makeSmsReminder(3)), fiveReminders, [5]],
    ])('a new SMS reminder %s, with a warning', async (_name, body, storedOverrides, ignoredIndexes) => {
      const { id } = await gateway.makeEvent();
      const warningTexts = ignoredIndexes.map((index) => `event.reminders.overrides.${index} ignored`);
      for (const outcome of [await gateway.insert({ ...oneHour, ...body }), await gateway.patch(id, body)])
        expect(outcome).toMatchObject({
          problems: [],
          warningTexts,
          event: { reminders: { overrides: storedOverrides } },
        });
    });

    test('a stored SMS reminder may be sent again; paths of issues count all reminders of the request', async () => {
      const storedReminders = [makeSmsReminder(30), popupOverride(5)];
      const repeatedPatch = await gateway.changeEvent('texted', makeReminders(...storedReminders));
      expect(repeatedPatch.reminders.overrides).toEqual(storedReminders);
      const extendedOutcome = await gateway.patch(
        'texted',
        makeReminders(makeSmsReminder(30), makeSmsReminder(5), popupOverride(5)),
      );
      expect(extendedOutcome.warningTexts).toEqual(['event.reminders.overrides.1 ignored']);
      expect(extendedOutcome.event.reminders.overrides).toEqual(storedReminders);
      const invalidReminders = makeReminders(makeSmsReminder(1), popupOverride(1), popupOverride(-1));
      await gateway.expectPatchRefused('texted', invalidReminders, ['reminders.overrides.2.minutes invalid']);
    });
  });

  describe('attachments', () => {
    test.each([undefined, false, null])(
      'with supportsAttachments %s are ignored with a warning, unless they equal the stored ones',
      async (supportsAttachments) => {
        const controls = { supportsAttachments };
        const before = await gateway.makeEvent({ attachments: makeAttachments(2) }, attachmentSupport);
        for (const attachments of [makeAttachments(1), [], null]) {
          const ignoredOutcome = await gateway.patch(before.id, { attachments }, controls);
          expect([ignoredOutcome.warningTexts, ignoredOutcome.event]).toEqual([
            ['event.attachments ignored'],
            before,
          ]);
        }
        for (const attachments of [before.attachments, makeAttachments(2)])
          expect(await gateway.changeEvent(before.id, { attachments }, controls)).toEqual(before);
        const { event } = await gateway.insert({ ...oneHour, attachments: makeAttachments(1) }, controls);
        expect(event.attachments).toBeNull();
      },
    );

    test('keep server-set fields by fileUrl, and ignore other values for these', async () => {
      const changedAttachment = { fileUrl: 'https://a.example', title: 'New', fileId: 'f2' };
      const attachments = [{ fileUrl: 'https://b.example' }, changedAttachment];
      const patchOutcome = await gateway.patch('attached', { attachments }, attachmentSupport);
      expect([patchOutcome.problems, patchOutcome.warningTexts]).toEqual([
        [],
        ['event.attachments.1.fileId readOnly'],
      ]);
      expect(patchOutcome.event.attachments).toMatchObject([
        { fileId: null, iconLink: null },
        { fileId: 'f1', iconLink: 'https://icons.example/pdf', title: 'New' },
      ]);
      const eventWithoutAttachments = await gateway.changeEvent(
        'attached',
        { attachments: null },
        attachmentSupport,
      );
      expect(eventWithoutAttachments.attachments).toBeNull();
    });
  });
});
