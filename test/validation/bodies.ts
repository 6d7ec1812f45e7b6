/** A body with its kind of input. */
export interface Sample {
  readonly kind: 'insert' | 'patch' | 'notification' | 'attendeeChanges';
  readonly body: Record<string, unknown>;
}

const [tooLongSummary, tooLongDescription] = ['x'.repeat(8193), 'x'.repeat(9001)];
const createList = <T>(count: number, createEntry: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => createEntry(index));
const makeGuests = (count: number) => createList(count, (index) => ({ email: `guest${index}@example.com` }));
const [bob, dana] = [{ email: 'bob@example.com' }, { email: 'dana@elsewhere.example' }];
const makeReminder = (method: unknown, minutes: unknown) => ({ method, minutes });
const addOn = { key: { type: 'addOn' } };
const makeEntryPoint = (entryPointType: string, uri: string) => ({ entryPointType, uri });
const validEvent = {
  summary: 'Lunch',
  start: { dateTime: '2026-12-01T12:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-12-01T13:00:00+01:00', timeZone: 'Europe/Berlin' },
};

/** Valid and invalid values by field, invalid in type or in content. */
const eventValues: Readonly<Record<string, readonly unknown[]>> = {
  summary: ['Dinner', '', tooLongSummary, 7, null, 'half \ud800'],
  description: [tooLongDescription, ['no'], '\u0000'],
  location: ['Room 5', null, true],
  colorId: ['11', '12', '', 5],
  start: [
    { date: '2026-12-01' },
    { date: '2026-02-30' },
    { dateTime: '2026-12-01T25:00:00Z' },
    { dateTime: '2026-12-01T12:00:00' },
    {},
    'now',
    { dateTime: '2026-12-01T14:00:00Z', timeZone: '+01:00' },
    { date: '2026-12-01', dateTime: '2026-12-01T12:00:00Z' },
    { day: '2026-12-01' },
    null,
  ],
  end: [
    { date: '2026-12-02' },
    { dateTime: '2026-12-01T11:00:00Z', timeZone: 'Mars/Base' },
    { date: '2026-11-30' },
    { dateTime: '2026-12-01T13:00:00', timeZone: 'America/New_York' },
    null,
  ],
  recurrence: [
    ['RRULE:FREQ=WEEKLY'],
    ['RRULE:FREQ=SOMETIMES', 'DTSTART:20261201'],
    ['EXDATE:20261201T120000Z'],
    ['RRULE:FREQ=DAILY;COUNT=3;UNTIL=20270101T000000Z'],
    'RRULE:FREQ=DAILY',
    [3],
    Array(101).fill('RRULE:FREQ=DAILY'),
  ],
  attendees: [
    [bob, { email: 'BOB@example.com' }],
    [{ email: 'no address' }, { displayName: 'Nobody' }, { email: 'x@exämple.com', responseStatus: 'maybe' }],
    [{ ...dana, additionalGuests: -1, comment: 'x'.repeat(8200) }],
    [{ ...bob, responseStatus: 'accepted', self: true, nickname: 'Bob' }],
    makeGuests(201),
    bob,
    [null],
    null,
  ],
  attachments: [
    [{ fileUrl: 'https://files.example.com/a', title: 'A' }],
    [{ title: 'No URL' }, { fileUrl: 'ftp://files.example.com' }],
    createList(26, () => ({ fileUrl: 'https://files.example.com/a' })),
  ],
  reminders: [
    { useDefault: true, overrides: [makeReminder('popup', 5)] },
    { overrides: [makeReminder('popup', -1), makeReminder('email', 40321), { minutes: 5 }] },
    { useDefault: false, overrides: Array(6).fill(makeReminder('email', 1)) },
    { overrides: [makeReminder('sms', 'five'), makeReminder('fax', 5)] },
    { overrides: [makeReminder('sms', 10), makeReminder('popup', 50000)] },
    null,
  ],
  extendedProperties: [
    { private: { ok: 'yes' }, shared: { [`k${'x'.repeat(44)}`]: 'long name', long: 'x'.repeat(1025) } },
    { private: { gone: null, number: 3 } },
    { private: { '': 'no name' } },
    { shared: Object.fromEntries(createList(301, (index) => [`key${index}`, 'v'])) },
  ],
  conferenceData: [
    { createRequest: { requestId: 'r1', conferenceSolutionKey: { type: 'hostedCall' } } },
    { createRequest: { conferenceSolutionKey: { type: 'carrierPigeon' } } },
    {
      conferenceSolution: { ...addOn, name: 'Ours' },
      entryPoints: [
        makeEntryPoint('video', 'http:/nowhere'),
        makeEntryPoint('video', 'https://calls.example.com/1'),
        makeEntryPoint('phone', '+1 23'),
      ],
    },
    {
      conferenceSolution: addOn,
      entryPoints: [{ ...makeEntryPoint('more', 'https://calls.example.com'), label: 'no' }],
    },
    { entryPoints: [{ entryPointType: 'video' }] },
    { notes: 'x'.repeat(2049) },
    { entryPoints: [makeEntryPoint('telepathy', 'x')] },
  ],
  gadget: [
    { display: 'chip', link: 'https://widgets.example.com' },
    { link: 'http://widgets.example.com', height: 0, width: 1.5 },
    { display: 'poster', preferences: { a: 'b', c: null } },
  ],
  source: [{ title: 'Tracker', url: 'https://issues.example.com/1' }, { url: 'javascript:alert(1)' }],
  status: ['tentative', 'maybe', null],
  transparency: ['transparent', 'glass'],
  visibility: ['private', 3],
  sequence: [0, -1, 2147483648, '1'],
  guestsCanModify: [true, 'yes'],
  iCalUID: ['', 'uid-of-mine@example.com'],
  id: ['abc', 'UPPERCASE', 'goodid123'],
  kind: ['calendar#event', 5],
  originalStartTime: [{ dateTime: '2026-12-01T12:00:00Z' }],
  created: ['2026-01-01T00:00:00Z', 'yesterday'],
  nosuchfield: [1],
  __typename: ['Event'],
  calendar: [{ id: 'team' }],
  instances: [null],
};

const attendeeChanges: readonly Record<string, unknown>[] = [
  {},
  { add: null, remove: null },
  { add: [], remove: [] },
  { add: bob, remove: 'carol@example.com' },
  { add: [{ ...bob, displayName: null, self: true }], remove: ['no address'] },
  { add: [bob, { email: 'BOB@example.com' }, { displayName: 'Nobody' }, { email: null }, {}] },
  { add: [bob], remove: ['Bob@example.com', 'x@example.com', 'X@example.com'] },
  {
    add: [
      { email: 'no address' },
      { email: 'x@exämple.com', responseStatus: 'maybe' },
      null,
      'bob@example.com',
    ],
    remove: [null, 5],
  },
  { add: [{ ...dana, additionalGuests: -1, comment: 'x'.repeat(8200) }] },
  { add: [{ ...dana, optional: 'no' }, { email: 'Dana@elsewhere.example' }], set: [] },
  { add: makeGuests(201) },
  { add: makeGuests(101), remove: createList(100, (index) => `guest${index}@elsewhere.example`) },
];

const tooManyTypes = Array(101).fill('OBJECT_DELETE') as string[];
const notificationValues: Readonly<Record<string, readonly unknown[]>> = {
  topic: [
    'projects/demo-project/topics/new',
    'new',
    '//host name/projects/demo-project/topics/new',
    'projects/No/topics/new',
    'projects/demo-project/topics/goog',
    5,
  ],
  event_types: [['OBJECT_FINALIZE'], ['OBJECT_CREATED'], 'OBJECT_DELETE', tooManyTypes, null],
  custom_attributes: [
    { team: 'blue' },
    { eventType: 'x', googId: 'y', '': 'z' },
    { a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' },
    { long: 'x'.repeat(1025), ['k'.repeat(257)]: 'v' },
    { gone: null, three: 3 },
    'team=blue',
  ],
  object_name_prefix: ['albums/', 'ä'.repeat(513), '\ud800', ['a']],
  payload_format: ['NONE', 'XML', null],
  id: ['7', 7.5],
  selfLink: ['https://example.com'],
  bucket: ['demo-photos'],
};

/** Creates random numbers that are the same on every run (a linear congruential generator). */
function createRandomBelow(): (limit: number) => number {
  let state = 20261201;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Creates 260 bodies: each value of each field at least once, then random combinations. */
export function createSampleBodies(): readonly Sample[] {
  const randomBelow = createRandomBelow();
  const pick = <T>(list: readonly T[]): T => list[randomBelow(list.length)] as T;
  const samples: Sample[] = (['insert', 'patch', 'notification'] as const).map((kind) => ({
    kind,
    body: {},
  }));
  samples.unshift({ kind: 'insert', body: validEvent });
  for (const [name, values] of Object.entries(eventValues)) {
    for (const [index, value] of values.entries())
      samples.push(
        index % 2
          ? { kind: 'patch', body: { [name]: value } }
          : { kind: 'insert', body: { ...validEvent, [name]: value } },
      );
  }
  for (const [name, values] of Object.entries(notificationValues))
    for (const value of values) samples.push({ kind: 'notification', body: { [name]: value } });
  for (const body of attendeeChanges) samples.push({ kind: 'attendeeChanges', body });
  while (samples.length < 260) {
    const kind = pick(['insert', 'patch', 'notification'] as const);
    const values = kind === 'notification' ? notificationValues : eventValues;
    const body: Record<string, unknown> = kind === 'insert' ? { ...validEvent } : {};
    for (let count = 2 + randomBelow(4); count > 0; count -= 1) {
      const name = pick(Object.keys(values));
      body[name] = pick(values[name] as readonly unknown[]);
    }
    samples.push({ kind, body });
  }
  return samples;
}
