import { alice, bob, carol, wanda } from './event.harness.ts';

type Value = string | number | boolean | readonly string[];

/** By path of a field: a value that an event has, and another one that it may be given. */
const values: Readonly<Record<string, readonly [stored: Value, other: Value]>> = {
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

/** Puts a value at a path into a body: in a list into its first entry, in a map under a name. */
function put(body: Body, path: string, value: unknown, key = 'key'): void {
  const steps = path.split('.');
  let inner = body;
  for (const [index, step] of steps.entries()) {
    const name = step === '*' ? key : step.replace('[]', '');
    if (index === steps.length - 1) inner[name] = value;
    else if (step.endsWith('[]')) inner = ((inner[name] ??= [{}]) as [Body])[0];
    else inner = (inner[name] ??= {}) as Body;
  }
}

const leaves = (prefix: string): string[] =>
  Object.keys(values).filter((path) => path === prefix || path.startsWith(`${prefix}.`));

/** A body with the values of these fields that events have. */
const storedIn = (...prefixes: readonly string[]): Body => {
  const body: Body = {};
  for (const path of prefixes.flatMap(leaves)) put(body, path, values[path]?.[0]);
  return body;
};

const merged = (...bodies: readonly Body[]): Body => Object.assign({}, ...structuredClone(bodies)) as Body;

const top = [...new Set(Object.keys(values).map((path) => path.split('.')[0] as string))];
const days = storedIn('start.date', 'end.date');
const hours = storedIn('start.dateTime', 'start.timeZone', 'end.dateTime', 'end.timeZone');
const without = 'id start end originalStartTime recurrence[] recurringEventId privateCopy'.split(' ');
const guests = { attendees: [...(storedIn('attendees[]').attendees as Body[]), { email: bob }] };
const full = merged(storedIn(...top.filter((name) => !without.includes(name))), hours, guests, {
  id: 'full',
});
const series = merged(hours, storedIn('recurrence[]'), guests, {
  id: 'series',
  iCalUID: 'series@example.com',
});
const instance = { recurringEventId: 'series', iCalUID: 'series@example.com', ...hours };
const original = (day: number) => ({
  id: `series_2026120${day}T090000Z`,
  originalStartTime: { dateTime: `2026-12-0${day}T10:00:00+01:00`, timeZone: 'Europe/Berlin' },
});
const orphan = { id: 'orphan', iCalUID: 'orphan@example.com', recurringEventId: 'elsewhere' };
const lockedIds = { id: 'locked', iCalUID: 'locked@example.com' };
const locked = merged(hours, guests, { ...lockedIds, guestsCanModify: true, organizer: { email: alice } });

/**
 * Alice's and Bob's events, by id: full, with all that an event of hours may have. bare, with nothing but guests. days.
 * series, with a changed and a cancelled instance. own, a private copy. locked, on Bob's calendar. orphan, an instance of a
 * series that is not here.
 */
export const seeds: readonly (readonly object[])[] = [
  [
    full,
    merged(hours, { id: 'bare', attendees: [{ email: bob }] }),
    merged(days, guests, { id: 'days' }),
    series,
    merged(instance, original(3), { summary: 'Changed' }),
    merged(instance, original(2), { status: 'cancelled' }),
    merged(hours, { id: 'own', privateCopy: true, attendees: [{ email: bob }] }),
    locked,
    merged(hours, original(3), guests, orphan),
  ],
  [{ ...locked, locked: true }],
];

/** By what an event of `seeds` is found that has a value of a field. */
export function homeOf(path: string): string {
  if (path.startsWith('recurrence')) return 'series';
  if (/^(start|end)\.date$/.test(path)) return 'days';
  if (/^(originalStartTime|recurringEventId)/.test(path)) return 'orphan';
  return path === 'privateCopy' ? 'own' : 'full';
}
export const gone = 'series_20261202T090000Z';

/**
 * A body that gives a field another value than `full` has: of a list the stored first entry with that field changed, and
 * the rest of the list; of what holds fields, all of them.
 */
export function others(path: string): Body {
  const body: Body = {};
  const home = (/^(attachments|attendees|conferenceData\.entryPoints|reminders\.overrides)\[\]/.exec(path) ??
    [])[0];
  if (home) for (const leaf of leaves(home)) put(body, leaf, values[leaf]?.[0]);
  for (const leaf of leaves(path)) put(body, leaf, values[leaf]?.[1], 'second');
  if (home === 'attendees[]') (body.attendees as Body[]).push({ email: bob });
  return body;
}

/** A body that clears a field, in the same way. */
export function cleared(path: string): Body {
  const body = others(path);
  put(body, path, null);
  return body;
}

/** A body with the same moment as `full` has, in another spelling. */
export const respelled = (path: string): Body => ({
  [path]: new Date(String(values[path]?.[0])).toISOString().replace('.000Z', '+00:00'),
});

const call = {
  conferenceSolution: { key: { type: 'addOn' }, name: 'Calls' },
  entryPoints: [{ entryPointType: 'video', uri: 'https://calls.example/1' }],
};
const entries = (count: number): Body =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
const called = (data: object): Body => ({ conferenceData: { ...call, ...data } });
const padded = (number: number): string => String(Math.floor(number)).padStart(2, '0');
/** By path of a list or a map: an event with so many entries in it. */
const lists: Readonly<Record<string, (numbers: readonly number[]) => Body>> = {
  'attachments[]': (ns) => ({ attachments: ns.map((n) => ({ fileUrl: `https://files.example/${n}` })) }),
  'attendees[]': (ns) => ({ attendees: ns.map((n) => ({ email: `guest${n}@elsewhere.example` })) }),
  'conferenceData.entryPoints[]': (ns) =>
    called({ entryPoints: ns.map((n) => ({ entryPointType: 'phone', uri: `tel:+${n}` })) }),
  'conferenceData.entryPoints[].entryPointFeatures[]': (ns) =>
    called({ entryPoints: [{ ...call.entryPoints[0], entryPointFeatures: ns.map((n) => `f${n}`) }] }),
  'conferenceData.parameters.addOnParameters.parameters': ({ length }) =>
    called({ parameters: { addOnParameters: { parameters: entries(length) } } }),
  'gadget.preferences': ({ length }) => ({ gadget: { preferences: entries(length) } }),
  'recurrence[]': (ns) => ({
    recurrence: ns.map((n) => `RDATE:20270101T09${padded(n / 60)}${padded(n % 60)}Z`),
  }),
  'reminders.overrides[]': (ns) => ({
    reminders: { useDefault: false, overrides: ns.map((minutes) => ({ method: 'popup', minutes })) },
  }),
};

/** A new event with a list or a map of so many entries. */
export const listed = (path: string, count: number): Body =>
  merged(hours, lists[path]?.(Array.from({ length: count }, (_, index) => index)) ?? {});

/** A new event with a text of so many characters. */
export function long(path: string, count: number): Body {
  const body = path.startsWith('conferenceData') ? { conferenceData: structuredClone(call) } : others(path);
  if (path.startsWith('conferenceData.createRequest'))
    put(body, 'conferenceData.createRequest.conferenceSolutionKey.type', 'eventCall');
  if (path === 'conferenceData.entryPoints[].uri')
    put(body, 'conferenceData.entryPoints[].entryPointType', 'phone');
  const sample = values[path]?.[1];
  const rule = `RRULE:FREQ=DAILY;BYMONTHDAY=${'1,'.repeat(Math.floor((count - 29) / 2))}`;
  const inList = path === 'recurrence[]' ? rule.padEnd(count, '1') : 'x'.repeat(count);
  put(body, path, Array.isArray(sample) ? [inList] : String(sample).padEnd(count, '1'), 'second');
  return merged(hours, body);
}
