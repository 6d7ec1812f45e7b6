import { startGateway, type Answer } from '../harness.ts';
import { selectEveryField } from '../selections.ts';
import type { Replacements } from '../../src/app.ts';
import { useForAll } from '../use-resource.ts';

/** The default caller: owns the calendar that most tests of events change. */
export const alice = 'alice@example.com';
export const bob = 'bob@example.com';
/** Another guest with a calendar here, like Bob. */
export const carol = 'carol@example.com';
/** A guest without a calendar here. */
export const eve = 'eve@elsewhere.example';
export const room = 'room3@resource.example';
/** Writer, reader and free/busy reader of the calendars of Alice, Bob and Carol; stranger to all of them. */
export const [wanda, rita, fritz, sten] = ['wanda', 'rita', 'fritz', 'sten'].map(
  (name) => `${name}@example.com`,
) as [string, string, string, string];
export const berlin = 'Europe/Berlin';

/** Start and end of an event of an hour. */
export const oneHour = {
  start: { dateTime: '2026-12-01T10:00:00+01:00' },
  end: { dateTime: '2026-12-01T11:00:00+01:00' },
};
/** Times of `oneHour`, with a time zone. */
export const zonedHour = {
  start: { ...oneHour.start, timeZone: berlin },
  end: { ...oneHour.end, timeZone: berlin },
};
/** Start and end of an all-day event. */
export const oneDay = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };
/** Start half an hour after that of `oneHour`, for patches. */
export const halfAnHourLater = { start: { dateTime: '2026-12-01T10:30:00+01:00' } };

/** Makes a text of a number of characters. */
export const textOfLength = (length: number): string => 'x'.repeat(length);
export const popupOverride = (minutes: number) => ({ method: 'popup', minutes });
/** Makes `reminders` with a single pop-up, without the calendar's defaults. */
export const popupReminder = (minutes: number) => ({
  useDefault: false,
  overrides: [popupOverride(minutes)],
});
/** Makes `count` values from their indexes. */
export const makeMany = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** Formats an issue of an event field as `Outcome.problems` lists it. */
export const problemAt = (path: string, reason: string): string => `BAD_USER_INPUT event.${path} ${reason}`;

const allFields = selectEveryField('Event');
const controlVariables = `$sendUpdates: SendUpdates, $sendNotifications: Boolean, $validateOnly: Boolean, $maxAttendees: Int,
  $alwaysIncludeEmail: Boolean, $conferenceDataVersion: Int, $supportsAttachments: Boolean`;
const controlArguments = `sendUpdates: $sendUpdates, sendNotifications: $sendNotifications, validateOnly: $validateOnly,
  maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail, conferenceDataVersion: $conferenceDataVersion,
  supportsAttachments: $supportsAttachments`;
const eventArguments = 'calendarId: $calendarId, eventId: $eventId';
/** GraphQL documents of operations on one event. Each selects every field, under the alias `result`. */
export const documents = {
  patch: `mutation ($calendarId: String!, $eventId: String!, $ifMatch: String, $attendeeChanges: AttendeeChangesInput, $event: EventInput!, ${controlVariables}) {
    result: patchEvent(${eventArguments}, ifMatch: $ifMatch, attendeeChanges: $attendeeChanges, event: $event, ${controlArguments}) ${allFields} }`,
  insert: `mutation ($calendarId: String!, $requestId: String, $event: EventInput!, ${controlVariables}) {
    result: insertEvent(calendarId: $calendarId, requestId: $requestId, event: $event, ${controlArguments}) ${allFields} }`,
  read: `query ($calendarId: String!, $eventId: String!, $maxAttendees: Int, $alwaysIncludeEmail: Boolean) {
    result: event(${eventArguments}, maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail) ${allFields} }`,
};

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- an event as returned, like `Answer.data`
export type EventJson = any;

/** Control arguments of an operation; the calendar is by default the caller's own. */
export interface Controls {
  /** E-mail address of the caller; by default Alice. */
  readonly as?: string;
  readonly calendarId?: string;
  readonly [control: string]: unknown;
}

/** A response to a document with one root field `result`, with its issues and warnings as texts. */
export interface Outcome extends Answer {
  readonly event: EventJson;
  /** Each issue as `CODE path reason`. */
  readonly problems: readonly string[];
  /** Each warning as `path reason`. */
  readonly warningTexts: readonly string[];
  /** Number of notified guests. */
  readonly notifiedCount: number;
}

export type EventGateway = Awaited<ReturnType<typeof startEventGateway>>;

/** Calendars of Alice, Bob and Carol in Berlin with the given events, shared with Wanda, Rita and Fritz. */
export const sampleCalendars = (...events: (readonly object[])[]) =>
  [alice, bob, carol].map((owner, index) => ({
    id: owner,
    owner,
    timeZone: berlin,
    events: events[index] ?? [],
    defaultReminders: [popupOverride(10)],
    acl: [
      [wanda, 'writer'],
      [rita, 'reader'],
      [fritz, 'freeBusyReader'],
    ].map(([email, role]) => ({ email, role })),
  }));

/** Starts a gateway with the sample calendars; adds functions that read and change events. */
export async function startEventGateway(replacements: Replacements = {}, env: Record<string, string> = {}) {
  const gateway = await startGateway(env, { seed: { calendars: sampleCalendars() }, ...replacements });
  const run = async (document: string, variables: object, as = alice): Promise<Outcome> =>
    createOutcome(await gateway.ask(document, variables, { as }));
  const send = (document: string, { as = alice, ...variables }: Controls): Promise<Outcome> =>
    run(document, { calendarId: as, ...variables }, as);
  const expectNoProblems = ({ problems, warningTexts, event }: Outcome): EventJson => {
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  };
  const patch = (eventId: string, event: object, options?: Controls) =>
    send(documents.patch, { ...options, eventId, event });
  const insert = (event: object, options?: Controls) => send(documents.insert, { ...options, event });
  const read = (eventId: string, options?: Controls) => send(documents.read, { ...options, eventId });
  const expectRefused = (outcome: Outcome, problems: readonly string[]): Outcome => {
    const expected = problems.map((problem) =>
      /^[A-Z_]+ /.test(problem) ? problem : `BAD_USER_INPUT event.${problem}`,
    );
    expect(outcome.problems).toEqual(expected);
    return outcome;
  };
  return {
    ...gateway,
    /** Runs any document whose root field has the alias `result`. */
    run,
    patch,
    insert,
    read,
    /** Inserts an event on Alice's calendar without problems, by default for an hour. */
    makeEvent: async (body: object = {}, options: Controls = {}) =>
      expectNoProblems(await insert({ ...oneHour, ...body }, { calendarId: alice, ...options })),
    /** Reads an event on a calendar without problems, by default as its owner. */
    readOn: async (calendarId: string, eventId: string, as = calendarId) =>
      expectNoProblems(await read(eventId, { as, calendarId })),
    /** Patches an event without problems or warnings and returns it. */
    changeEvent: async (eventId: string, body: object, options?: Controls) =>
      expectNoProblems(await patch(eventId, body, options)),
    /** Expects problems of a patch; `end required` is short for `BAD_USER_INPUT event.end required`. */
    expectPatchRefused: async (
      eventId: string,
      body: object,
      problems: readonly string[],
      options?: Controls,
    ) => expectRefused(await patch(eventId, body, options), problems),
    /** Expects problems of an insert, by default of an hour. */
    expectInsertRefused: async (body: object, problems: readonly string[], options?: Controls) =>
      expectRefused(await insert({ ...oneHour, ...body }, options), problems),
    /** Expects that the calendar's owner, or `as`, does not find an event. */
    expectNotFound: async (calendarId: string, eventId: string, as = calendarId) =>
      void expectRefused(await read(eventId, { as, calendarId }), ['NOT_FOUND eventId notFound']),
  };
}

/** Starts a gateway for all tests of a `describe` or file, and closes it after them. */
export const useEventGateway = (...options: Parameters<typeof startEventGateway>): EventGateway =>
  useForAll(() => startEventGateway(...options));

/** Lists each issue of a response's errors as `CODE path reason`. */
export const problemsOf = ({ errors = [] }: Answer): string[] =>
  errors.flatMap(({ extensions: { code, reason, issues } }) =>
    issues.length === 0
      ? [`${code} ${reason}`]
      : issues.map((issue) => `${code} ${issue.path.join('.')} ${issue.reason}`),
  );

function createOutcome(response: Answer): Outcome {
  const problems = problemsOf(response);
  const warningTexts = (response.warnings ?? []).map(({ path, reason }) => `${path.join('.')} ${reason}`);
  return {
    ...response,
    event: response.data?.result,
    problems,
    warningTexts,
    notifiedCount: response.guestsNotified?.result ?? 0,
  };
}

/** Finds a guest on the `attendees` list of an event. */
export const guestEntryOf = (event: EventJson, address: string): EventJson =>
  event.attendees.find(({ email }: { email: string }) => email === address);
export const emailsOf = (event: EventJson): string[] =>
  event.attendees.map(({ email }: { email: string }) => email);
/** Returns the guest list of an event with one changed entry. */
export const withChangedGuest = ({ attendees }: EventJson, address: string, change: object): object => ({
  attendees: attendees.map((guestEntry: EventJson) =>
    guestEntry.email === address ? { ...guestEntry, ...change } : guestEntry,
  ),
});
/** Lists the names of fields that are not null, without `nodeId`, which is not part of the resource. */
export const listPresentFields = (event: object): string[] =>
  Object.entries(event)
    .filter(([name, value]) => value !== null && name !== 'nodeId')
    .map(([name]) => name)
    .sort();
/** Names of the fields that an event has if only its id may be shown. */
export const idOnlyFields = ['etag', 'id', 'kind', 'status', 'updated'];
/** Removes nulls at every level. */
export const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== null)
      .map(([name, inner]) => [name, withoutNulls(inner)]),
  );
};
