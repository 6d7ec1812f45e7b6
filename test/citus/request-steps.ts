import type { Answer, TestGateway } from '../harness.ts';

const [alice, bob, carol, guestFields] = [
  'alice@example.com',
  'bob@example.com',
  'carol@example.com',
  'attendees: [{ email: "bob@example.com" }, { email: "carol@example.com" }, { email: "nobody@example.org" }]',
];
const formatTimes = (day: string, from = '10', to = '11'): string =>
  `start: { dateTime: "2030-01-${day}T${from}:00:00Z", timeZone: "UTC" }, end: { dateTime: "2030-01-${day}T${to}:00:00Z", timeZone: "UTC" }`;
const weekArguments = 'timeMin: "2030-01-01T00:00:00Z", timeMax: "2030-01-08T00:00:00Z"';
const topic = 'projects/p-project/topics/new';
const pageFields = '{ nodes { id etag } pageInfo { endCursor hasNextPage } nextSyncToken }';

type Placeholders = Readonly<Record<string, string>>;

/** A request of a caller, Alice by default. Values of `extract` replace `<name>` in later requests. */
export interface Step {
  readonly as?: string;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly extract?: (data: any) => Placeholders;
}

const createSteps = (as: string, ...texts: string[]): Step[] => texts.map((text) => ({ as, text }));

/** Requests with every root field of queries and mutations, and most of their arguments. */
export const steps: readonly Step[] = [
  ...[alice, bob, carol, 'dave@example.com'].map((as): Step => ({ as, text: '{ calendars { id etag } }' })),
  // Single events, events with guests who have calendars, series and their exceptions.
  ...createSteps(
    alice,
    `mutation { insertEvent(calendarId: "primary", event: { id: "alone", ${formatTimes('01')} }) { id } }`,
    `mutation { insertEvent(calendarId: "primary", requestId: "r1", event: { id: "lunch", ${formatTimes('02')}, ${guestFields} }) { id } }`,
    `mutation { insertEvent(calendarId: "primary", requestId: "r1", event: { id: "lunch", ${formatTimes('02')}, ${guestFields} }) { id } }`,
    `mutation { insertEvent(calendarId: "primary", requestId: "r2", event: { id: "series", ${formatTimes('01', '12', '13')}, recurrence: ["RRULE:FREQ=DAILY;COUNT=9"], ${guestFields} }) { id } }`,
    `mutation { insertEvent(calendarId: "primary", event: { id: "regular1", ${formatTimes('03', '14', '15')}, recurrence: ["RRULE:FREQ=WEEKLY"] }) { id } }`,
    `mutation { insertEvent(calendarId: "primary", validateOnly: true, event: { ${formatTimes('03')} }) { id } }`,
    'mutation { patchEvent(calendarId: "primary", eventId: "alone", event: { summary: "Other" }) { id } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "alone", event: { location: "There" }) { id } report { warnings { path } } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "lunch", sendUpdates: all, event: { summary: "Lunch", description: "All of us" }) { id } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "series_20300102T120000Z", sendUpdates: all, event: { summary: "Another" }) { id } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "series_20300102T120000Z", event: { location: "Here" }) { id } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "series", event: { summary: "All" }) { id } }',
    `mutation { patchEvent(calendarId: "primary", eventId: "series", event: { ${formatTimes('01', '13', '14')} }) { id } }`,
    'mutation { patchEvent(calendarId: "primary", eventId: "lunch", attendeeChanges: { add: [{ email: "dave@example.com" }], remove: ["carol@example.com"] }, event: {}) { id } }',
  ),
  ...createSteps(
    bob,
    'mutation { patchEvent(calendarId: "primary", eventId: "lunch", event: { attendees: [{ email: "bob@example.com", responseStatus: accepted }] }) { id } }',
    'mutation { patchEvent(calendarId: "primary", eventId: "series", event: { colorId: "3" }) { id } }',
    '{ event(calendarId: "primary", eventId: "lunch") { id organizer { email } } }',
    `{ events(calendarId: "primary", ${weekArguments}, singleEvents: true, orderBy: startTime) ${pageFields} }`,
  ),
  // Reads and lists.
  ...createSteps(
    alice,
    '{ event(calendarId: "primary", eventId: "series") { id } other: event(calendarId: "primary", eventId: "series_20300103T130000Z") { id } third: event(calendarId: "primary", eventId: "alone") { id } }',
    `{ events(calendarId: "primary", ${weekArguments}, singleEvents: true, orderBy: startTime) ${pageFields} }`,
    `{ events(calendarId: "primary", ${weekArguments}) ${pageFields} }`,
    '{ events(calendarId: "primary", orderBy: updated, updatedMin: "2020-01-01T00:00:00Z") { nodes { id } } }',
    `{ events(calendarId: "primary", q: "lunch", showDeleted: true) ${pageFields} }`,
    `{ events(calendarId: "primary", iCalUID: "lunch@example.com") ${pageFields} }`,
    '{ instances(calendarId: "primary", eventId: "series") { nodes { id } } instances2: instances(calendarId: "primary", eventId: "regular1", first: 3) { nodes { id } } }',
    `{ freeBusy(${weekArguments}, calendarIds: ["primary", "bob@example.com", "none"]) { calendarId busy { start end } error { code } } }`,
  ),
  {
    text: `{ events(calendarId: "primary", ${weekArguments}, first: 2) ${pageFields} }`,
    extract: ({ events }) => ({ cursor: events.pageInfo.endCursor as string }),
  },
  ...createSteps(
    alice,
    `{ events(calendarId: "primary", ${weekArguments}, first: 2, after: "<cursor>") ${pageFields} }`,
  ),
  {
    text: `{ events(calendarId: "primary", ${weekArguments}, singleEvents: true, orderBy: startTime, first: 2) ${pageFields} }`,
    extract: ({ events }) => ({ cursor: events.pageInfo.endCursor as string }),
  },
  ...createSteps(
    alice,
    `{ events(calendarId: "primary", ${weekArguments}, singleEvents: true, orderBy: startTime, first: 2, after: "<cursor>") ${pageFields} }`,
  ),
  {
    text: `{ events(calendarId: "primary") ${pageFields} }`,
    extract: ({ events }) => ({ token: events.nextSyncToken as string }),
  },
  ...createSteps(
    alice,
    'mutation { patchEvent(calendarId: "primary", eventId: "alone", event: { summary: "Third" }) { id } }',
    'mutation { deleteEvent(calendarId: "primary", eventId: "series_20300104T130000Z", sendUpdates: all) }',
    `{ events(calendarId: "primary", syncToken: "<token>") ${pageFields} }`,
    `{ events(calendarId: "primary", syncToken: "<token>", first: 1) ${pageFields} }`,
    'mutation { patchFollowingEvents(calendarId: "primary", eventId: "series_20300106T130000Z", requestId: "r4", event: { summary: "Later" }) { before { id } following { id } } }',
    'mutation { deleteFollowingEvents(calendarId: "primary", eventId: "series_20300104T130000Z") { id } }',
    'mutation { deleteEvent(calendarId: "primary", eventId: "series", sendUpdates: all) }',
    'mutation { deleteEvent(calendarId: "primary", eventId: "alone") }',
  ),
  ...createSteps(bob, 'mutation { deleteEvent(calendarId: "primary", eventId: "lunch") }'),
  // Calendars.
  {
    text: 'mutation { insertCalendar(requestId: "c1", calendar: { summary: "Team", timeZone: "UTC" }) { id } }',
    extract: ({ insertCalendar: { id } }) => ({ team: id as string }),
  },
  // Import, move, feeds, channels, nodes.
  ...createSteps(
    alice,
    `mutation { importEvent(calendarId: "primary", event: { iCalUID: "imported@elsewhere.example", ${formatTimes('04')}, organizer: { email: "eve@elsewhere.example" }, ${guestFields} }) { id } }`,
    `mutation { importCalendar(calendarId: "primary", icalendar: "BEGIN:VCALENDAR\\r\\nBEGIN:VEVENT\\r\\nUID:file\\r\\nDTSTART:20300105T100000Z\\r\\nRRULE:FREQ=DAILY;COUNT=3\\r\\nEND:VEVENT\\r\\nEND:VCALENDAR\\r\\n") { created } }`,
    `mutation { insertEvent(calendarId: "primary", event: { id: "moving", ${formatTimes('06')}, ${guestFields} }) { id } }`,
    'mutation { moveEvent(calendarId: "primary", eventId: "moving", destination: "<team>") { id } }',
    'mutation { resetCalendarFeed(calendarId: "primary") { id } }',
  ),
  {
    text: 'mutation { watchCalendar(calendarId: "primary", channel: { id: "c1", address: "https://receiver.invalid/hook" }) { resourceId } }',
    extract: ({ watchCalendar: { resourceId } }) => ({ channel: resourceId as string }),
  },
  {
    text: '{ viewer { email primaryCalendar { nodeId } } }',
    extract: ({ viewer }) => ({ node: viewer.primaryCalendar.nodeId as string }),
  },
  ...createSteps(
    alice,
    '{ node(nodeId: "<node>") { id: __typename } }',
    'mutation { stopChannel(id: "c1", resourceId: "<channel>") }',
  ),
  ...createSteps(
    alice,
    'mutation { insertCalendar(requestId: "c1", calendar: { summary: "Team", timeZone: "UTC" }) { id } }',
    'mutation { setCalendarAccess(calendarId: "<team>", email: "bob@example.com", role: writer) { email role } }',
    `mutation { insertEvent(calendarId: "<team>", event: { id: "planned", ${formatTimes('05')}, ${guestFields} }) { id } }`,
    'mutation { patchCalendar(calendarId: "<team>", calendar: { summary: "All of us", timeZone: "Europe/Berlin" }) { id } }',
    'mutation { patchCalendar(calendarId: "<team>", calendar: { description: "Plans" }) { id } }',
    '{ calendar(calendarId: "<team>") { id } calendarAccess(calendarId: "<team>") { email role } calendars { id } }',
  ),
  ...createSteps(
    bob,
    '{ calendars { id } event(calendarId: "<team>", eventId: "planned") { id } }',
    'mutation { patchEvent(calendarId: "<team>", eventId: "planned", event: { summary: "By bob" }) { id } }',
    'mutation { setCalendarAccess(calendarId: "<team>", email: "bob@example.com", role: none) { email } }',
  ),
  ...createSteps(alice, 'mutation { deleteCalendar(calendarId: "<team>", sendUpdates: all) }'),
  // Buckets, notifications, messages.
  ...createSteps(
    alice,
    'mutation { insertBucket(project: "demo-project", requestId: "b", bucket: { name: "another" }) { id } }',
    'mutation { insertBucket(project: "demo-project", requestId: "b", bucket: { name: "another" }) { id } }',
    'mutation { patchBucket(bucket: "another", change: { managers: ["alice@example.com", "bob@example.com"] }) { id } }',
    '{ bucket(bucket: "another") { id } buckets(project: "demo-project") { nodes { id } pageInfo { endCursor } } more: buckets(project: "demo-project", first: 1) { nodes { id } } }',
    'mutation { publishObjectChange(bucket: "another", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { topic } } }',
  ),
  {
    text: `mutation { insertNotification(bucket: "another", requestId: "n", notification: { topic: "${topic}" }) { id } }`,
    extract: ({ insertNotification: { id } }) => ({ notification: id as string }),
  },
  ...createSteps(
    alice,
    `mutation { insertNotification(bucket: "another", requestId: "n", notification: { topic: "${topic}" }) { id } }`,
    '{ notification(bucket: "another", notificationId: "<notification>") { id } notifications(bucket: "another") { id } }',
    'mutation { publishObjectChange(bucket: "another", requestId: "p", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { topic } } }',
    'mutation { publishObjectChange(bucket: "another", requestId: "p", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { topic } } }',
    `{ messages(topic: "${topic}") { nodes { messageId } } }`,
    'mutation { deleteNotification(bucket: "another", notificationId: "<notification>") }',
  ),
  ...createSteps(bob, 'mutation { deleteBucket(bucket: "another") }'),
];

/** Sends all steps in order and returns those with an error. */
export async function sendSteps(gateway: TestGateway): Promise<readonly [text: string, error: string][]> {
  const failedSteps: [string, string][] = [];
  let placeholders: Placeholders = {};
  for (const { as = alice, text, extract } of steps) {
    const request = text.replace(/<(\w+)>/g, (whole, name: string) => placeholders[name] ?? whole);
    const { data, errors }: Answer = await gateway.ask(request, {}, { as });
    if (errors) failedSteps.push([request, errors[0]?.message ?? '']);
    else if (extract) placeholders = { ...placeholders, ...extract(data) };
  }
  return failedSteps;
}
