import {
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import { createGateway } from '../../src/faces/graphql/schema.ts';
import { fc } from '../property.ts';
import {
  alice,
  berlin,
  bob,
  day,
  eve,
  hour,
  popup,
  room,
  textOf,
  zoned,
  type Controls,
} from './event.harness.ts';

/**
 * Random bodies over every field of the schema: mostly valid values, some at a limit, some invalid, and null at every
 * level. New fields of the schema are included.
 */
const input = createGateway().schema.getType('EventInput') as GraphQLInputObjectType;
export const link = 'https://files.example.org/a';
const newCall = { createRequest: { requestId: 'new', conferenceSolutionKey: { type: 'hostedCall' } } };
export const addOn = {
  conferenceSolution: { key: { type: 'addOn' } },
  entryPoints: [{ entryPointType: 'video', uri: 'https://call.example' }],
};
/** Interesting values by field name or path; whole objects where random members seldom fit together. */
const valuesByField: Readonly<Record<string, readonly unknown[]>> = {
  id: ['guests', 'abcde', ''],
  iCalUID: ['plain@calendar.example.com', 'a@b.example'],
  recurringEventId: ['series', ''],
  'attendees.id': ['profile-1'],
  email: [alice, bob, 'BOB@Example.com', eve, '"q @"@example.org', room, 'nobody'],
  additionalGuests: [0, 3, -1],
  colorId: ['1', '11', '12'],
  description: ['', 'Text', textOf(8193)],
  start: [
    zoned.start,
    { date: null, ...zoned.start, dateTime: '2026-03-29T02:30:00' },
    { date: '2026-12-01', dateTime: null, timeZone: null },
    { timeZone: berlin },
  ],
  end: [
    zoned.end,
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
  'gadget.link': [link, 'http://w.example'],
  'gadget.iconLink': [link],
  'source.url': [link, 'ftp://s.example'],
  fileUrl: [link, 'https://b.example', 'javascript:alert(1)'],
  reminders: [
    { useDefault: true, overrides: null },
    { useDefault: false, overrides: [{ method: 'sms', minutes: 5 }, popup(0)] },
    { overrides: [0, 1, 2, 3, 4, 5].map(popup) },
  ],
  conferenceData: [newCall, addOn, { createRequest: { requestId: '' } }],
  uri: ['https://call.example', 'tel:+1', 'sip:a@b.example', 'ftp://call.example', textOf(1301)],
  created: ['2020-01-01T00:00:00Z', 'yesterday'],
  updated: ['2020-01-01T00:00:00Z'],
};
/** Fields that an entry needs, and fields that are seldom valid in a body. */
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
const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof(
    { weight: 20, arbitrary },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: invalidValue },
  );
const anyKey = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 1, arbitrary: fc.constantFrom('constructor', 'größe', '', '__proto__', textOf(45), 'x\u0000') },
);
/** Parses JSON, because an object literal cannot have the key `__proto__`. */
const anyMap = fc.array(fc.tuple(anyKey, mostly(anyText)), { maxLength: 3 }).map((entries) => {
  const members = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${members.join()}}`) as object;
});

function anyValueOf(type: GraphQLInputType, path: string): fc.Arbitrary<unknown> {
  const fieldType = getNullableType(type);
  const knownValues = valuesByField[path] ?? valuesByField[path.split('.').at(-1) as string];
  if (isListType(fieldType)) return mostly(fc.array(anyValueOf(fieldType.ofType, path), { maxLength: 3 }));
  if (isInputObjectType(fieldType)) {
    const object = anyObjectOf(fieldType, path, 3);
    return mostly(knownValues ? fc.oneof(fc.constantFrom(...knownValues), object) : object);
  }
  if (isEnumType(fieldType)) return mostly(fc.constantFrom(...fieldType.getValues().map(({ name }) => name)));
  if (fieldType.name === 'StringMap') return mostly(anyMap);
  // The first two values are valid in most cases.
  if (knownValues)
    return mostly(fc.oneof(fc.constantFrom(...knownValues.slice(0, 2)), fc.constantFrom(...knownValues)));
  if (fieldType.name === 'Int') return mostly(fc.integer({ min: 0, max: 40 }));
  return mostly(fieldType.name === 'Boolean' ? fc.boolean() : anyText);
}

/** Generates objects that include each field with the probability 1 / `rarity`. */
function anyObjectOf(
  type: GraphQLInputObjectType,
  path: string,
  rarity: number,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.values(type.getFields()).map(({ name, type: fieldType }) => {
    const isSeldom = path === '' && seldomFields.includes(name);
    const [absent, present] = requiredFields.includes(name)
      ? [1, 12]
      : [isSeldom ? 6 * rarity : rarity - 1, 1];
    const value = anyValueOf(fieldType, path ? `${path}.${name}` : name);
    return [
      name,
      fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: present, arbitrary: value }),
    ] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

export const anyBody = anyObjectOf(input, '', 18);
/** Generates undefined, and rarely one of some values. */
export const rarely = <T>(...choices: T[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: choices.length, arbitrary: fc.constantFrom<T | undefined>(...choices) },
  );
export const anyControls: fc.Arbitrary<Controls> = fc.record({
  validateOnly: rarely<unknown>(true, false, null),
  conferenceDataVersion: fc.constantFrom(undefined, 0, 1, 1, 1),
  supportsAttachments: fc.constantFrom<unknown>(undefined, true, true, null),
  maxAttendees: rarely<unknown>(1, 2, 0, null),
  alwaysIncludeEmail: rarely(true),
  sendUpdates: rarely('all', 'externalOnly', 'none'),
  sendNotifications: rarely(true),
});

const guests = [{ email: alice }, { email: bob }, { email: eve, optional: true }];
/** Event bodies of every kind; Bob is a guest of some. */
export const bodiesByKind: Readonly<Record<string, object>> = {
  plain: { ...hour, summary: 'Plain', location: 'There', sequence: 3 },
  allday: day,
  series: { ...zoned, recurrence: ['RRULE:FREQ=DAILY'] },
  guests: { ...hour, attendees: guests, colorId: '2' },
  hidden: { ...hour, attendees: guests, guestsCanSeeOtherGuests: false, sequence: 5 },
  open: {
    ...zoned,
    attendees: guests,
    guestsCanModify: true,
    extendedProperties: { private: { a: '1' }, shared: { b: '2' } },
  },
  alone: { ...hour, attendees: guests, guestsCanInviteOthers: false },
  call: { ...hour, conferenceData: addOn },
  files: {
    ...hour,
    attachments: [{ fileUrl: link }],
    source: { title: 'T', url: 'https://s.example' },
    gadget: { height: 5, preferences: { a: '1' } },
  },
  cancelled: { ...hour, status: 'cancelled', attendees: guests },
  private: {
    ...hour,
    privateCopy: true,
    visibility: 'private',
    reminders: { useDefault: false, overrides: [popup(5)] },
  },
};
/** Writers of these events: their organizer, and Bob if he is a guest. */
export const writers = [
  ...Object.keys(bodiesByKind).map((kind) => ({ kind, as: alice })),
  ...['guests', 'hidden', 'open', 'alone', 'cancelled'].map((kind) => ({ kind, as: bob })),
];
