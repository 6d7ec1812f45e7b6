import { startGateway, type Answer } from '../harness.ts';
import { everyField } from '../selections.ts';
import type { Replacements } from '../../src/app.ts';
import { useForAll } from '../started.ts';

export const alice = 'alice@example.com';
export const bob = 'bob@example.com';
/** A guest with a calendar here, as Bob is one. */
export const carol = 'carol@example.com';
/** A guest without a calendar here. */
export const eve = 'eve@elsewhere.example';
export const room = 'room3@resource.example';
/** Who may write to, read, or see the busy times of every calendar of `people`, and who may do nothing. */
export const [wanda, rita, fritz, sten] = ['wanda', 'rita', 'fritz', 'sten'].map(
  (name) => `${name}@example.com`,
) as [string, string, string, string];
export const berlin = 'Europe/Berlin';

/** An hour on a winter's day, with and without a zone, and a whole day. */
export const hour = {
  start: { dateTime: '2026-12-01T10:00:00+01:00' },
  end: { dateTime: '2026-12-01T11:00:00+01:00' },
};
export const zoned = { start: { ...hour.start, timeZone: berlin }, end: { ...hour.end, timeZone: berlin } };
export const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
export const later = { start: { dateTime: '2026-12-01T10:30:00+01:00' } };

/** A string of so many characters. */
export const text = (length: number): string => 'x'.repeat(length);
export const popup = (minutes: number) => ({ method: 'popup', minutes });
export const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
export const bad = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;

const all = everyField('Event');
const controls = `$sendUpdates: SendUpdates, $sendNotifications: Boolean, $validateOnly: Boolean, $maxAttendees: Int,
  $alwaysIncludeEmail: Boolean, $conferenceDataVersion: Int, $supportsAttachments: Boolean`;
const passed = `sendUpdates: $sendUpdates, sendNotifications: $sendNotifications, validateOnly: $validateOnly,
  maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail, conferenceDataVersion: $conferenceDataVersion,
  supportsAttachments: $supportsAttachments`;
const ofEvent = 'calendarId: $calendarId, eventId: $eventId';
export const documents = {
  patch: `mutation ($calendarId: String!, $eventId: String!, $ifMatch: String, $attendeeChanges: AttendeeChangesInput, $event: EventInput!, ${controls}) {
    result: patchEvent(${ofEvent}, ifMatch: $ifMatch, attendeeChanges: $attendeeChanges, event: $event, ${passed}) ${all} }`,
  insert: `mutation ($calendarId: String!, $requestId: String, $event: EventInput!, ${controls}) {
    result: insertEvent(calendarId: $calendarId, requestId: $requestId, event: $event, ${passed}) ${all} }`,
  read: `query ($calendarId: String!, $eventId: String!, $maxAttendees: Int, $alwaysIncludeEmail: Boolean) {
    result: event(${ofEvent}, maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail) ${all} }`,
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an event as it was answered, as `Answer.data`
export type Shown = any;

/** The control arguments of an operation; the calendar is the caller's own unless told. */
export interface Controls {
  readonly as?: string;
  readonly calendarId?: string;
  readonly [control: string]: unknown;
}

export interface Outcome extends Answer {
  readonly event: Shown;
  /** Each issue as `CODE path reason`. */
  readonly problems: readonly string[];
  /** Each warning as `path reason`. */
  readonly notes: readonly string[];
  /** How many guests were told. */
  readonly told: number;
}

export type EventGateway = Awaited<ReturnType<typeof startEvents>>;

/** Calendars of Alice, Bob and Carol in Berlin, open to the people above; each with these events. */
export const people = (...events: (readonly object[])[]) =>
  [alice, bob, carol].map((owner, index) => ({
    id: owner,
    owner,
    timeZone: berlin,
    events: events[index] ?? [],
    defaultReminders: [popup(10)],
    acl: [
      [wanda, 'writer'],
      [rita, 'reader'],
      [fritz, 'freeBusyReader'],
    ].map(([email, role]) => ({ email, role })),
  }));

export async function startEvents(
  replacements: Replacements = {},
  env: Readonly<Record<string, string>> = {},
) {
  const gateway = await startGateway(env, { seed: { calendars: people() }, ...replacements });
  const run = async (document: string, variables: object, as = alice): Promise<Outcome> =>
    outcomeOf(await gateway.ask(document, variables, { as }));
  const send = (document: string, { as = alice, ...variables }: Controls): Promise<Outcome> =>
    run(document, { calendarId: as, ...variables }, as);
  const clean = ({ problems, notes, event }: Outcome): Shown => {
    expect({ problems, notes }).toEqual({ problems: [], notes: [] });
    return event;
  };
  const patch = (eventId: string, event: object, options?: Controls) =>
    send(documents.patch, { ...options, eventId, event });
  const insert = (event: object, options?: Controls) => send(documents.insert, { ...options, event });
  const read = (eventId: string, options?: Controls) => send(documents.read, { ...options, eventId });
  const expectRefused = (outcome: Outcome, problems: readonly string[]): Outcome => {
    const whole = problems.map((one) => (/^[A-Z_]+ /.test(one) ? one : `BAD_USER_INPUT event.${one}`));
    expect(outcome.problems).toEqual(whole);
    return outcome;
  };
  return {
    ...gateway,
    run,
    patch,
    insert,
    read,
    /** An event on Alice's calendar that was inserted without a problem: an hour unless told. */
    make: async (body: object = {}, options: Controls = {}) =>
      clean(await insert({ ...hour, ...body }, { calendarId: alice, ...options })),
    /** What is read without a problem on a calendar, by its owner unless told. */
    on: async (calendarId: string, eventId: string, as = calendarId) =>
      clean(await read(eventId, { as, calendarId })),
    /** The event after a patch without a problem and without a warning. */
    change: async (eventId: string, body: object, options?: Controls) =>
      clean(await patch(eventId, body, options)),
    /** Expects that a patch has these problems: `end required` stands for `BAD_USER_INPUT event.end required`. */
    refusesPatch: async (eventId: string, body: object, problems: readonly string[], options?: Controls) =>
      expectRefused(await patch(eventId, body, options), problems),
    /** Expects the same of an insert, of an hour unless told. */
    refusesInsert: async (body: object, problems: readonly string[], options?: Controls) =>
      expectRefused(await insert({ ...hour, ...body }, options), problems),
    /** Expects that a calendar has no such event for its owner, or for `as`. */
    expectNotFound: async (calendarId: string, eventId: string, as = calendarId) =>
      void expectRefused(await read(eventId, { as, calendarId }), ['NOT_FOUND eventId notFound']),
  };
}

/** A gateway for all tests of a `describe`, or of a file: started before them, and closed behind them. */
export const useEvents = (...options: Parameters<typeof startEvents>): EventGateway =>
  useForAll(() => startEvents(...options));

/** Each issue of the errors of an answer as `CODE path reason`. */
export const problemsOf = ({ errors = [] }: Answer): string[] =>
  errors.flatMap(({ extensions: { code, reason, issues } }) =>
    issues.length === 0
      ? [`${code} ${reason}`]
      : issues.map((issue) => `${code} ${issue.path.join('.')} ${issue.reason}`),
  );

function outcomeOf(answer: Answer): Outcome {
  const problems = problemsOf(answer);
  const notes = (answer.warnings ?? []).map(({ path, reason }) => `${path.join('.')} ${reason}`);
  return { ...answer, event: answer.data?.result, problems, notes, told: answer.guestsNotified?.result ?? 0 };
}

export const entryOf = (event: Shown, address: string): Shown =>
  event.attendees.find(({ email }: { email: string }) => email === address);
export const emails = (event: Shown): string[] =>
  event.attendees.map(({ email }: { email: string }) => email);
/** The list as it was shown, one entry of it changed. */
export const withEntry = ({ attendees }: Shown, address: string, change: object): object => ({
  attendees: attendees.map((entry: Shown) => (entry.email === address ? { ...entry, ...change } : entry)),
});
/** The names of the fields that are told; `nodeId`, which is no part of the resource, is left out. */
export const told = (event: object): string[] =>
  Object.entries(event)
    .filter(([name, value]) => value !== null && name !== 'nodeId')
    .map(([name]) => name)
    .sort();
/** What is told of an event of which only the id is sure to be there. */
export const idOnly = ['etag', 'id', 'kind', 'status', 'updated'];
/** The same without its nulls, at every level. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
};
