import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';
import { fc } from '../property.ts';
import {
  alice,
  berlin,
  bob,
  oneDay,
  eve,
  oneHour,
  popupOverride,
  room,
  textOfLength,
  zonedHour,
  type Controls,
} from './event.harness.ts';

/**
 * Generators of random bodies over all fields of the schema. Most values are valid; some are at a limit,
 * invalid, or null at any level.
 */
const eventInputType = createGatewaySchema().schema.getType('EventInput') as GraphQLInputObjectType;
/** URL that is valid in every field. */
export const validUrl = 'https://files.example.org/a';
const newCall = { createRequest: { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } } };
/** Valid conference of another provider. */
export const addOnConference = {
  conferenceSolution: { key: { type: 'addOn' } },
  entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
};
/** Values of fields, by name or path: whole objects where random members seldom fit together. */
const valuesByField: Readonly<Record<string, readonly unknown[]>> = {
  id: ['guests', 'abcde', ''],
  iCalUID: ['plain@calendar.example.com', 'a@b.example'],
  recurringEventId: ['series', ''],
  'attendees.id': ['profile-1'],
  email: [alice, bob, 'BOB@Example.com', eve, '"q @"@example.org', room, 'nobody'],
  additionalGuests: [0, 3, -1],
  colorId: ['1', '11', '12'],
  description: ['', 'Text', textOfLength(8193)],
  start: [
    zonedHour.start,
    { date: null, ...zonedHour.start, dateTime: '2026-03-29T02:30:00' },
    { date: '2026-12-01', dateTime: null, timeZone: null },
    { timeZone: berlin },
  ],
  end: [
    zonedHour.end,
    { date: null, dateTime: '2027-12-01T10:00:00', timeZone: berlin },
    { date: '2027-01-01', dateTime: null, timeZone: null },
  ],
  originalStartTime: [{ date: '2026-12-03' }],
  date: ['2026-12-01', '2026-02-30'],
  dateTime: ['2026-12-01T10:00:00', '2026-12-01T09:00:00.000Z', 'soon'],
  timeZone: [berlin, 'America/New_York', 'Mars/Olympus'],
  minutes: [0, 40320, 40321],
  recurrence: 'RRULE:FREQ=DAILY RRULE:FREQ=WEEKLY;COUNT=3 EXDATE:20261208T090000Z RRULE:FREQ=NO'.split(' '),
  height: [1, 0],
  width: [100],
  sequence: [0, 7, 2_147_483_647, -1],
  'gadget.link': [validUrl, 'http://w.example'],
  'gadget.iconLink': [validUrl],
  'source.url': [validUrl, 'ftp://s.example'],
  fileUrl: [validUrl, 'https://b.example', 'javascript:alert(1)'],
  reminders: [
    { useDefault: true, overrides: null },
    { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popupOverride(0)] },
    { overrides: [0, 1, 2, 3, 4, 5].map(popupOverride) },
  ],
  conferenceData: [newCall, addOnConference, { createRequest: { requestId: '' } }],
  uri: ['https://call.example', 'tel:+1', 'sip:a@b.example', 'ftp://call.example', textOfLength(1301)],
  created: ['2020-01-01T00:00:00Z', 'yesterday'],
  updated: ['2020-01-01T00:00:00Z'],
};
/** Fields that an entry requires (present in most entries), and fields that are seldom valid in a body. */
const requiredFields = ['email', 'fileUrl', 'method', 'minutes', 'entryPointType', 'uri'];
const seldomFields = ['id', 'iCalUID', 'recurringEventId', 'originalStartTime', 'privateCopy', 'nodeId'];
const invalidValue = fc.oneof(
  fc.constantFrom<unknown>(null, 1.5, 2_147_483_648, true, 'nonsense', '\ud800', '\u0000'),
  fc.constantFrom<unknown>({}, [], [null], { a: { b: 1 } }),
);
const anyText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('', 'a', 'Ünïcödé ✓', '👩‍👧', ' ') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);
/** Generates values, and now and then null or an invalid one. */
const generateMostlyValid = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 20, arbitrary },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: invalidValue },
  );
const anyKey = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('constructor', 'größe', '', '__proto__', textOfLength(45), 'x\u0000'),
  },
);
/** Parses JSON, because an object literal cannot have the key `__proto__`. */
const anyMap = fc.array(fc.tuple(anyKey, generateMostlyValid(anyText)), { maxLength: 3 }).map((entries) => {
  const members = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${members.join()}}`) as object;
});

function generateValuesOfType(type: GraphQLInputType, path: string): fc.Arbitrary<unknown> {
  const fieldType = getNullableType(type);
  const knownValues = valuesByField[path] ?? valuesByField[path.split('.').at(-1) as string];
  if (isListType(fieldType))
    return generateMostlyValid(fc.array(generateValuesOfType(fieldType.ofType, path), { maxLength: 3 }));
  if (isInputObjectType(fieldType)) {
    const object = generateObjectsOfType(fieldType, path, 3);
    return generateMostlyValid(knownValues ? fc.oneof(fc.constantFrom(...knownValues), object) : object);
  }
  if (isEnumType(fieldType))
    return generateMostlyValid(fc.constantFrom(...fieldType.getValues().map(({ name }) => name)));
  if (fieldType.name === 'StringMap') return generateMostlyValid(anyMap);
  // The first two values are valid in most cases.
  if (knownValues)
    return generateMostlyValid(
      fc.oneof(fc.constantFrom(...knownValues.slice(0, 2)), fc.constantFrom(...knownValues)),
    );
  if (fieldType.name === 'Int') return generateMostlyValid(fc.integer({ min: 0, max: 40 }));
  return generateMostlyValid(fieldType.name === 'Boolean' ? fc.boolean() : anyText);
}

/** Generates objects that include each field with the probability 1 / `rarity`. */
function generateObjectsOfType(
  type: GraphQLInputObjectType,
  path: string,
  rarity: number,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType }) => {
    const isSeldom = path === '' && seldomFields.includes(name);
    const [absentWeight, presentWeight] = requiredFields.includes(name)
      ? [1, 12]
      : [isSeldom ? 6 * rarity : rarity - 1, 1];
    const value = generateValuesOfType(fieldType, path ? `${path}.${name}` : name);
    return [
      name,
      fc.oneof(
        { weight: absentWeight, arbitrary: fc.constant(undefined) },
        { weight: presentWeight, arbitrary: value },
      ),
    ] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

/** Generates bodies of events in which a field is present with the probability 1/18. */
export const anyBody = generateObjectsOfType(eventInputType, '', 18);
/** Generates undefined, and rarely one of some values. */
export const rarelyOneOf = <T>(...choices: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: choices.length, arbitrary: fc.constantFrom<T | undefined>(...choices) },
  );
/** Generates arguments of a request beside the body, some of them invalid. */
export const anyControls: fc.Arbitrary<Controls> = fc.record({
  validateOnly: rarelyOneOf<unknown>(true, false, null),
  conferenceDataVersion: fc.constantFrom(undefined, 0, 1, 1, 1),
  supportsAttachments: fc.constantFrom<unknown>(undefined, true, true, null),
  maxAttendees: rarelyOneOf<unknown>(1, 2, 0, null),
  alwaysIncludeEmail: rarelyOneOf(true),
  sendUpdates: rarelyOneOf('all', 'externalOnly', 'none'),
  sendNotifications: rarelyOneOf(true),
});

const guests = [{ email: alice }, { email: bob }, { email: eve, optional: true }];
/** Event bodies of every kind; Bob is a guest of some. */
export const bodiesByKind: Readonly<Record<string, object>> = {
  plain: { ...oneHour, summary: 'Plain', location: 'There', sequence: 3 },
  allday: oneDay,
  series: { ...zonedHour, recurrence: ['RRULE:FREQ=DAILY'] },
  guests: { ...oneHour, attendees: guests, colorId: '2' },
  hidden: { ...oneHour, attendees: guests, guestsCanSeeOtherGuests: false, sequence: 5 },
  open: {
    ...zonedHour,
    attendees: guests,
    guestsCanModify: true,
    extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
  },
  alone: { ...oneHour, attendees: guests, guestsCanInviteOthers: false },
  call: { ...oneHour, conferenceData: addOnConference },
  files: {
    ...oneHour,
    attachments: [{ fileUrl: validUrl }],
    source: { title: 'T', url: 'https://s.example' },
    gadget: { height: 5, preferences: { a: '1' } },
  },
  cancelled: { ...oneHour, status: 'cancelled', attendees: guests },
  private: {
    ...oneHour,
    privateCopy: true,
    visibility: 'private',
    reminders: { useDefault: false, overrides: [popupOverride(5)] },
  },
};
/** Writers of these events: their organizer, and Bob if he is a guest. */
export const writers = [
  ...Object.keys(bodiesByKind).map((kind) => ({ kind, as: alice })),
  ...['guests', 'hidden', 'open', 'alone', 'cancelled'].map((kind) => ({ kind, as: bob })),
];
