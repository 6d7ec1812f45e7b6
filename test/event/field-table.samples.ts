import { alice, bob, carol, wanda } from './event.harness.ts';

type Value = string | number | boolean | readonly string[];

/** Stored value of an event, and another valid value, by field path. */
const valuesByPath: Readonly<Record<string, readonly [stored: Value, other: Value]>> = {
  anyoneCanAddSelf: [false, true],
  'attachments[].fileId': ['file1', 'file2'],
  'attachments[].fileUrl': ['https://files.example/1', 'https://files.example/2'],
  'attachments[].iconLink': ['https://files.example/1.png', 'https://files.example/2.png'],
  'attachments[].mimeType': ['text/plain', 'text/html'],
  'attachments[].title': ['Plan', 'Other plan'],
  'attendees[].additionalGuests': [2, 3],
  'attendees[].comment': ['Late', 'On time'],
  'attendees[].displayName': ['Al', 'Ally'],
  'attendees[].email': [alice, 'new@elsewhere.example'],
  'attendees[].id': ['profile1', 'profile2'],
  'attendees[].optional': [true, false],
  'attendees[].organizer': [true, false],
  'attendees[].resource': [true, false],
  'attendees[].responseStatus': ['accepted', 'declined'],
  'attendees[].self': [true, false],
  attendeesOmitted: [false, true],
  colorId: ['3', '4'],
  'conferenceData.conferenceId': ['addon-1', 'addon-2'],
  'conferenceData.conferenceSolution.iconUri': ['https://calls.example/1.png', 'https://calls.example/2.png'],
  'conferenceData.conferenceSolution.key.type': ['addOn', 'hostedCall'],
  'conferenceData.conferenceSolution.name': ['Calls', 'Other calls'],
  'conferenceData.createRequest.conferenceSolutionKey.type': ['eventCall', 'eventNamedCall'],
  'conferenceData.createRequest.requestId': ['request1', 'request2'],
  'conferenceData.createRequest.status.statusCode': ['success', 'pending'],
  'conferenceData.entryPoints[].accessCode': ['11', '12'],
  'conferenceData.entryPoints[].entryPointFeatures[]': [['toll'], ['toll', 'tollFree']],
  'conferenceData.entryPoints[].entryPointType': ['phone', 'sip'],
  'conferenceData.entryPoints[].label': ['+1', '+2'],
  'conferenceData.entryPoints[].meetingCode': ['21', '22'],
  'conferenceData.entryPoints[].passcode': ['31', '32'],
  'conferenceData.entryPoints[].password': ['41', '42'],
  'conferenceData.entryPoints[].pin': ['51', '52'],
  'conferenceData.entryPoints[].regionCode': ['DE', 'FR'],
  'conferenceData.entryPoints[].uri': ['tel:+1', 'tel:+2'],
  'conferenceData.notes': ['Ring twice', 'Ring once'],
  'conferenceData.parameters.addOnParameters.parameters.*': ['a', 'b'],
  'conferenceData.signature': ['signed', 'forged'],
  created: ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  'creator.displayName': ['Al', 'Ally'],
  'creator.email': [wanda, carol],
  'creator.id': ['profile1', 'profile2'],
  'creator.self': [true, false],
  description: ['Old', 'New'],
  'end.date': ['2026-12-05', '2026-12-06'],
  'end.dateTime': ['2026-12-01T11:00:00+01:00', '2026-12-01T11:30:00+01:00'],
  'end.timeZone': ['Europe/Berlin', 'Europe/Paris'],
  endTimeUnspecified: [true, false],
  etag: ['"a"', '"b"'],
  'extendedProperties.private.*': ['a', 'b'],
  'extendedProperties.shared.*': ['a', 'b'],
  'gadget.display': ['icon', 'chip'],
  'gadget.height': [10, 20],
  'gadget.iconLink': ['https://gadgets.example/1.png', 'https://gadgets.example/2.png'],
  'gadget.link': ['https://gadgets.example/1', 'https://gadgets.example/2'],
  'gadget.preferences.*': ['a', 'b'],
  'gadget.title': ['Gadget', 'Other gadget'],
  'gadget.type': ['one', 'two'],
  'gadget.width': [10, 20],
  guestsCanInviteOthers: [true, false],
  guestsCanModify: [false, true],
  guestsCanSeeOtherGuests: [true, false],
  callLink: ['https://calls.example/1', 'https://calls.example/2'],
  htmlLink: ['https://calendar.example/1', 'https://calendar.example/2'],
  iCalUID: ['uid1@example.com', 'uid2@example.com'],
  id: ['full', 'other'],
  kind: ['calendar#one', 'calendar#other'],
  location: ['Room 1', 'Room 2'],
  locked: [false, true],
  'organizer.displayName': ['Al', 'Ally'],
  'organizer.email': [alice, carol],
  'organizer.id': ['profile1', 'profile2'],
  'organizer.self': [true, false],
  'originalStartTime.date': ['2026-12-03', '2026-12-04'],
  'originalStartTime.dateTime': ['2026-12-03T10:00:00+01:00', '2026-12-04T10:00:00+01:00'],
  'originalStartTime.timeZone': ['Europe/Berlin', 'Europe/Paris'],
  privateCopy: [false, true],
  'recurrence[]': [['RRULE:FREQ=DAILY;COUNT=5'], ['RRULE:FREQ=DAILY;COUNT=6', 'RDATE:20270101T090000Z']],
  recurringEventId: ['series', 'other'],
  'reminders.overrides[].method': ['popup', 'email'],
  'reminders.overrides[].minutes': [10, 20],
  'reminders.useDefault': [false, true],
  sequence: [3, 4],
  'source.title': ['Tracker', 'Other tracker'],
  'source.url': ['https://tracker.example/1', 'https://tracker.example/2'],
  'start.date': ['2026-12-01', '2026-12-02'],
  'start.dateTime': ['2026-12-01T10:00:00+01:00', '2026-12-01T10:30:00+01:00'],
  'start.timeZone': ['Europe/Berlin', 'Europe/Paris'],
  status: ['confirmed', 'tentative'],
  summary: ['Old', 'New'],
  transparency: ['opaque', 'transparent'],
  updated: ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  visibility: ['public', 'confidential'],
};

type Body = Record<string, unknown>;

/** Sets a value in a body: in a list's first entry, or in a map under `mapKey`. */
function setValueAt(body: Body, path: string, value: unknown, mapKey = 'key'): void {
  const steps = path.split('.');
  let container = body;
  for (const [index, step] of steps.entries()) {
    const name = step === '*' ? mapKey : step.replace('[]', '');
    if (index === steps.length - 1) container[name] = value;
    else if (step.endsWith('[]')) container = ((container[name] ??= [{}]) as [Body])[0];
    else container = (container[name] ??= {}) as Body;
  }
}

/** Lists the paths of all values in a field, or of the field itself. */
const listLeafPaths = (prefix: string): string[] =>
  Object.keys(valuesByPath).filter((path) => path === prefix || path.startsWith(`${prefix}.`));

/** Creates a body with the stored values of fields. */
const bodyWithStoredValues = (...prefixes: readonly string[]): Body => {
  const body: Body = {};
  for (const path of prefixes.flatMap(listLeafPaths)) setValueAt(body, path, valuesByPath[path]?.[0]);
  return body;
};

const mergeBodies = (...bodies: readonly Body[]): Body =>
  Object.assign({}, ...structuredClone(bodies)) as Body;

const topFieldNames = [...new Set(Object.keys(valuesByPath).map((path) => path.split('.')[0] as string))];
const allDayTimes = bodyWithStoredValues('start.date', 'end.date');
const timedTimes = bodyWithStoredValues('start.dateTime', 'start.timeZone', 'end.dateTime', 'end.timeZone');
const specialFieldNames = 'id start end originalStartTime recurrence[] recurringEventId privateCopy'.split(
  ' ',
);
const guestList = {
  attendees: [...(bodyWithStoredValues('attendees[]').attendees as Body[]), { email: bob }],
};
const ordinaryFields = bodyWithStoredValues(
  ...topFieldNames.filter((name) => !specialFieldNames.includes(name)),
);
const fullEvent = mergeBodies(ordinaryFields, timedTimes, guestList, { id: 'full' });
const seriesIds = { id: 'series', iCalUID: 'series@example.com' };
const series = mergeBodies(timedTimes, bodyWithStoredValues('recurrence[]'), guestList, seriesIds);
const instanceBase = { recurringEventId: 'series', iCalUID: 'series@example.com', ...timedTimes };
const instanceOn = (day: number) => ({
  id: `series_2026120${day}T090000Z`,
  originalStartTime: { dateTime: `2026-12-0${day}T10:00:00+01:00`, timeZone: 'Europe/Berlin' },
});
const orphanFields = { id: 'orphan', iCalUID: 'orphan@example.com', recurringEventId: 'elsewhere' };
const organizedByAlice = { guestsCanModify: true, organizer: { email: alice } };
const lockedIds = { id: 'locked', iCalUID: 'locked@example.com' };
const lockedEvent = mergeBodies(timedTimes, guestList, { ...lockedIds, ...organizedByAlice });

/**
 * Alice's and Bob's events by id: `full` has all fields of a timed event, `bare` only guests, `days` is all-day, `series`
 * has a changed and a cancelled instance, `own` is a private copy, `locked` is locked on Bob's calendar, and `orphan` is
 * an instance without its series.
 */
export const seedEvents: readonly (readonly object[])[] = [
  [
    fullEvent,
    mergeBodies(timedTimes, { id: 'bare', attendees: [{ email: bob }] }),
    mergeBodies(allDayTimes, guestList, { id: 'days' }),
    series,
    mergeBodies(instanceBase, instanceOn(3), { summary: 'Changed' }),
    mergeBodies(instanceBase, instanceOn(2), { status: 'cancelled' }),
    mergeBodies(timedTimes, { id: 'own', privateCopy: true, attendees: [{ email: bob }] }),
    lockedEvent,
    mergeBodies(timedTimes, instanceOn(3), guestList, orphanFields),
  ],
  [{ ...lockedEvent, locked: true }],
];

/** Returns the id of the seeded event that has a value of a field. */
export function seededIdFor(path: string): string {
  if (path.startsWith('recurrence')) return 'series';
  if (/^(start|end)\.date$/.test(path)) return 'days';
  if (/^(originalStartTime|recurringEventId)/.test(path)) return 'orphan';
  return path === 'privateCopy' ? 'own' : 'full';
}
export const cancelledId = 'series_20261202T090000Z';

/**
 * Creates a body with another value of a field than `full` has. For a field in a list, the body has the whole list with
 * the first entry changed; for an object, it has all its fields.
 */
export function otherValueBody(path: string): Body {
  const body: Body = {};
  const listPath = /^(attachments|attendees|conferenceData\.entryPoints|reminders\.overrides)\[\]/.exec(
    path,
  )?.[0];
  if (listPath) for (const leaf of listLeafPaths(listPath)) setValueAt(body, leaf, valuesByPath[leaf]?.[0]);
  for (const leaf of listLeafPaths(path)) setValueAt(body, leaf, valuesByPath[leaf]?.[1], 'second');
  if (listPath === 'attendees[]') (body.attendees as Body[]).push({ email: bob });
  return body;
}

/** Creates a body that clears a field, with its whole list as `otherValueBody` has it. */
export function clearedBody(path: string): Body {
  const body = otherValueBody(path);
  setValueAt(body, path, null);
  return body;
}

/** Creates a body with the same instant as `full` in another format. */
export const reformattedBody = (path: string): Body => ({
  [path]: new Date(String(valuesByPath[path]?.[0])).toISOString().replace('.000Z', '+00:00'),
});

const sampleEntry = { entryPointType: 'video', uri: 'https://calls.example/1' };
const sampleCall = {
  conferenceSolution: { key: { type: 'addOn' }, name: 'Calls' },
  entryPoints: [sampleEntry],
};
const mapWithEntries = (count: number): Body =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
const withConference = (data: object): Body => ({ conferenceData: { ...sampleCall, ...data } });
const padTwo = (number: number): string => String(Math.floor(number)).padStart(2, '0');
const rdateLine = (second: number) => `RDATE:20270101T09${padTwo(second / 60)}${padTwo(second % 60)}Z`;
/** Bodies with an entry for each number, by path of the list or map. */
const listBodies: Readonly<Record<string, (numbers: readonly number[]) => Body>> = {
  'attachments[]': (ns) => ({ attachments: ns.map((n) => ({ fileUrl: `https://files.example/${n}` })) }),
  'attendees[]': (ns) => ({ attendees: ns.map((n) => ({ email: `guest${n}@elsewhere.example` })) }),
  'conferenceData.entryPoints[]': (ns) =>
    withConference({ entryPoints: ns.map((n) => ({ entryPointType: 'phone', uri: `tel:+${n}` })) }),
  'conferenceData.entryPoints[].entryPointFeatures[]': (ns) =>
    withConference({ entryPoints: [{ ...sampleEntry, entryPointFeatures: ns.map((n) => `f${n}`) }] }),
  'conferenceData.parameters.addOnParameters.parameters': ({ length }) =>
    withConference({ parameters: { addOnParameters: { parameters: mapWithEntries(length) } } }),
  'gadget.preferences': ({ length }) => ({ gadget: { preferences: mapWithEntries(length) } }),
  'recurrence[]': (ns) => ({ recurrence: ns.map(rdateLine) }),
  'reminders.overrides[]': (ns) => ({
    reminders: { useDefault: false, overrides: ns.map((minutes) => ({ method: 'popup', minutes })) },
  }),
};

/** Creates an event with `count` entries in a list or map. */
export const eventWithEntries = (path: string, count: number): Body =>
  mergeBodies(timedTimes, listBodies[path]?.(Array.from({ length: count }, (_, index) => index)) ?? {});

/** Creates an event with a text of `count` characters. */
export function eventWithText(path: string, count: number): Body {
  const body = path.startsWith('conferenceData')
    ? { conferenceData: structuredClone(sampleCall) }
    : otherValueBody(path);
  if (path.startsWith('conferenceData.createRequest'))
    setValueAt(body, 'conferenceData.createRequest.conferenceSolutionKey.type', 'eventCall');
  if (path === 'conferenceData.entryPoints[].uri')
    setValueAt(body, 'conferenceData.entryPoints[].entryPointType', 'phone');
  const otherValue = valuesByPath[path]?.[1];
  // The prefix has 28 characters, and the rule ends in a digit, not a comma.
  const rule = `RRULE:FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(Math.floor((count - 29) / 2))}`;
  const listText = path === 'recurrence[]' ? rule.padEnd(count, '1') : 'x'.repeat(count);
  setValueAt(
    body,
    path,
    Array.isArray(otherValue) ? [listText] : String(otherValue).padEnd(count, '1'),
    'second',
  );
  return mergeBodies(timedTimes, body);
}
