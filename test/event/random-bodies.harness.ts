import fc from 'fast-check';
import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { createGateway } from '../../src/graphql/schema.ts';
import { alice, berlin, bob, text } from './event-http.harness.ts';

/**
 * Random bodies over every field of the schema: mostly values that pass, some at the edge of a limit, some wrong, and
 * null at every level. A field that the schema gains is covered from then on.
 */
const { schema } = createGateway();

const file = (name: string): string => `https://files.example.org/${name}`;
/** Values worth trying, by the field's name or its full path; `more` below adds what any field may meet. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  id: ['plain', 'guests', 'other', ''],
  iCalUID: ['plain@calendar.example.com', 'a@b.example'],
  recurringEventId: ['series', 'plain', ''],
  'attendees.id': ['profile-1'],
  email: [
    alice,
    bob,
    'BOB@Example.com',
    'carol@elsewhere.example',
    '"q @"@example.org',
    'nobody',
    'room@resource.example',
    'x@no-email.invalid',
  ],
  additionalGuests: [0, 1, 3, -1],
  colorId: ['1', '11', '12', '0', ''],
  description: ['', 'Text', text(8192), text(8193)],
  'start.date': ['2026-12-01', '2026-11-30', '2026-02-30'],
  'end.date': ['2027-01-01', '2027-01-02', '2026-12-01'],
  'start.dateTime': ['2026-12-01T10:00:00', '2026-12-01T10:00:00+01:00', '2026-12-01T10:00:00Z', '2026-03-29T02:30:00', 'soon'],
  'end.dateTime': ['2027-12-01T10:00:00', '2027-12-01T10:00:00-05:00', '2026-10-25T02:30:00', 'late'],
  'originalStartTime.date': ['2026-12-03'],
  'originalStartTime.dateTime': ['2026-12-03T10:00:00+01:00'],
  timeZone: [berlin, 'America/New_York', 'Australia/Lord_Howe', 'Mars/Olympus', ''],
  recurrence: [
    'RRULE:FREQ=DAILY',
    'RRULE:FREQ=WEEKLY;COUNT=3',
    'EXDATE:20261208T090000Z',
    'RDATE;VALUE=DATE:20261208',
    'RRULE:FREQ=NEVER',
    'DTSTART:20261201',
  ],
  minutes: [0, 5, 40320, 40321, -1],
  height: [1, 100, 0, -1],
  width: [1, 100, 0],
  'gadget.link': ['https://w.example', 'http://w.example'],
  'gadget.iconLink': ['https://w.example/i', 'w.example'],
  'source.url': ['https://s.example', 'ftp://s.example'],
  fileUrl: [file('a'), file('b'), file('c'), 'javascript:alert(1)'],
  sequence: [0, 1, 7, 2_147_483_647, -1],
  'conferenceData.createRequest.requestId': ['r1', 'r2', ''],
  'conferenceData.createRequest.conferenceSolutionKey.type': ['eventCall', 'eventNamedCall', 'hostedCall', 'other'],
  'conferenceData.conferenceSolution.key.type': ['hostedCall', 'newerCall', ''],
  'conferenceData.notes': ['', 'Notes', text(2048), text(2049)],
  'conferenceData.entryPoints.uri': ['https://call.example', 'tel:+1', 'sip:a@b.example', 'ftp://call.example', text(1301)],
  created: ['2020-01-01T00:00:00Z', 'yesterday'],
  updated: ['2020-01-01T00:00:00Z'],
};
/** Whole values: parts that have to fit together seldom do so by chance. */
const wholes: Readonly<Record<string, readonly unknown[]>> = {
  start: [
    { date: null, dateTime: '2026-12-01T10:00:00', timeZone: berlin },
    { date: '2026-12-01', dateTime: null, timeZone: null },
    { timeZone: berlin },
  ],
  end: [
    { date: null, dateTime: '2027-12-01T10:00:00', timeZone: berlin },
    { date: '2027-01-01', dateTime: null, timeZone: null },
    { timeZone: berlin },
  ],
  reminders: [
    { useDefault: true, overrides: null },
    {
      useDefault: false,
      overrides: [
        { method: 'sms', minutes: 5 },
        { method: 'popup', minutes: 0 },
      ],
    },
    { useDefault: false, overrides: [0, 1, 2, 3, 4, 5].map((minutes) => ({ method: 'popup', minutes })) },
  ],
  'conferenceData.createRequest': ['eventCall', 'eventNamedCall', 'hostedCall'].map((type) => ({
    requestId: 'new',
    conferenceSolutionKey: { type },
  })),
};
/** What an entry cannot do without. */
const needed = ['email', 'fileUrl', 'method', 'minutes', 'entryPointType', 'uri'];
/** What hardly ever may be sent at all. */
const fixed = ['id', 'iCalUID', 'recurringEventId', 'originalStartTime', 'privateCopy'];
const keys = ['a', 'b', 'constructor', 'toString', 'größe', '', '__proto__', text(44), text(45), 'x\u0000'];

const wrong = fc.constantFrom<unknown>(
  null,
  1.5,
  2_147_483_648,
  true,
  'nonsense',
  {},
  [],
  [null],
  { a: { b: 1 } },
  '\ud800',
  '\u0000',
);
const words = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'Ünïcödé ✓', '👩‍👧', ' ', 'A') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);

/** Mostly the value itself, sometimes null, seldom something else. */
const mostly = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 20, arbitrary }, { weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: wrong });

function leaf(path: string, name: string, kind: string): fc.Arbitrary<unknown> {
  const known = values[path] ?? values[path.split('.').at(-1) as string] ?? [];
  const more: fc.Arbitrary<unknown> =
    kind === 'Int' ? fc.integer({ min: 0, max: 40 }) : kind === 'Boolean' ? fc.boolean() : words;
  if (known.length === 0 || kind === 'Boolean') return more;
  // The first values are the most harmless ones.
  const [first, second = first] = known;
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(first, second) },
    { weight: 2, arbitrary: fc.constantFrom(...known) },
    { weight: name === 'email' ? 0 : 1, arbitrary: more },
  );
}

const map = fc
  .array(
    fc.tuple(
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c') }, { weight: 1, arbitrary: fc.constantFrom(...keys) }),
      mostly(words),
    ),
    { maxLength: 3 },
  )
  .map((entries) => {
    const result: Record<string, unknown> = {};
    for (const [key, value] of entries)
      Object.defineProperty(result, key, { value, enumerable: true, configurable: true, writable: true });
    return result;
  });

function valueOf(type: GraphQLInputType, path: string): fc.Arbitrary<unknown> {
  const of = getNullableType(type);
  if (isListType(of)) return mostly(fc.array(valueOf(of.ofType, path), { maxLength: 3 }));
  if (isInputObjectType(of)) {
    const whole = wholes[path];
    return mostly(whole ? fc.oneof(fc.constantFrom(...whole), objectOf(of, path, 3)) : objectOf(of, path, 3));
  }
  if (isEnumType(of)) return mostly(fc.constantFrom(...of.getValues().map(({ name }) => name)));
  if (of.name === 'StringMap') return mostly(map);
  return mostly(leaf(path, path.split('.').at(-1) as string, of.name));
}

/** An object in which each field stands once in `thin` times. */
function objectOf(type: GraphQLInputObjectType, path: string, thin: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.values(type.getFields()).map(({ name, type: of }) => {
    const inner = valueOf(of, path ? `${path}.${name}` : name);
    const [absent, present] = needed.includes(name) ? [1, 12] : [path === '' && fixed.includes(name) ? 6 * thin : thin - 1, 1];
    const field = fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: present, arbitrary: inner });
    return [name, field] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

const input = (name: string): GraphQLInputObjectType => schema.getType(name) as GraphQLInputObjectType;

/** About three fields of the fifty at the top, each with about a third of what it holds. */
export const randomBody: fc.Arbitrary<Record<string, unknown>> = objectOf(input('EventInput'), '', 18);

const rarely = <T>(...choices: T[]): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: choices.length, arbitrary: fc.constantFrom(...choices) });
const often = <T>(...choices: T[]): fc.Arbitrary<T | undefined> => fc.constantFrom<T | undefined>(undefined, ...choices);

export const randomControls = fc.record({
  validateOnly: rarely<boolean | null>(true, false, null),
  conferenceDataVersion: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(undefined, 0, 1, 1) },
    { weight: 1, arbitrary: fc.constantFrom(null, 2, -1) },
  ),
  supportsAttachments: often<boolean | null>(true, true, null),
  maxAttendees: rarely<number | null>(1, 2, 0, null),
  alwaysIncludeEmail: rarely(true),
  sendUpdates: rarely('all', 'externalOnly', 'none'),
  sendNotifications: rarely(true),
});

export const randomIfMatch = rarely<string | null>('*', '"no such etag"', null);
