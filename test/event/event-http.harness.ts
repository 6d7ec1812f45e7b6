import type { EventRecord } from '../../src/event/event.record.ts';
import { startGateway, type Answer, type Ask, type TestGateway } from '../harness.ts';
import { everyField } from '../selections.ts';
import type { Replacements } from '../../src/compose.ts';

export const alice = 'alice@example.com';
export const bob = 'bob@example.com';
export const berlin = 'Europe/Berlin';

/** An hour on a winter's day, and a whole day. */
export const hour = { start: { dateTime: '2026-12-01T10:00:00+01:00' }, end: { dateTime: '2026-12-01T11:00:00+01:00' } };
export const day = { start: { date: '2026-12-01' }, end: { date: '2026-12-02' } };

/** A text of so many characters. */
export const text = (length: number): string => 'x'.repeat(length);

const all = everyField('Event');
const controls = `$sendUpdates: SendUpdates, $sendNotifications: Boolean, $validateOnly: Boolean, $maxAttendees: Int,
  $alwaysIncludeEmail: Boolean, $conferenceDataVersion: Int, $supportsAttachments: Boolean`;
const passed = `sendUpdates: $sendUpdates, sendNotifications: $sendNotifications, validateOnly: $validateOnly,
  maxAttendees: $maxAttendees, alwaysIncludeEmail: $alwaysIncludeEmail, conferenceDataVersion: $conferenceDataVersion,
  supportsAttachments: $supportsAttachments`;
export const documents = {
  patch: `mutation ($calendarId: String!, $eventId: String!, $ifMatch: String, $event: EventInput!, ${controls}) {
    result: patchEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, event: $event, ${passed}) ${all} }`,
  insert: `mutation ($calendarId: String!, $requestId: String, $event: EventInput!, ${controls}) {
    result: insertEvent(calendarId: $calendarId, requestId: $requestId, event: $event, ${passed}) ${all} }`,
  read: `query ($calendarId: String!, $eventId: String!) { result: event(calendarId: $calendarId, eventId: $eventId) ${all} }`,
};

/** The control arguments of an operation; the calendar is the caller's own unless told. */
export interface Controls {
  readonly as?: string;
  readonly calendarId?: string;
  readonly [control: string]: unknown;
}

export interface Outcome extends Omit<Answer, 'guestsNotified'> {
  /** How many guests the one root field told; 0 when it told nobody. */
  readonly guestsNotified: number;
  readonly event: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- as `Answer.data`
  /** Each issue as `CODE path reason`. */
  readonly problems: readonly string[];
  /** Each warning as `path reason`. */
  readonly notes: readonly string[];
}

export interface EventGateway extends TestGateway {
  patch(eventId: string, event: object, controls?: Controls): Promise<Outcome>;
  insert(event: object, controls?: Controls): Promise<Outcome>;
  read(eventId: string, controls?: Controls): Promise<Outcome>;
  run(document: string, variables: object, as?: string): Promise<Outcome>;
  /** What the store holds. */
  stored(eventId: string, calendarId?: string): Promise<EventRecord | undefined>;
  /** Puts into the store what no operation would let in. */
  disturb(eventId: string, core: object, copy?: object): Promise<void>;
}

/** Calendars of Alice and Bob in Berlin; Alice's with these events. */
export const calendars = (events: readonly object[] = [], bobs: readonly object[] = []) => [
  { id: alice, owner: alice, timeZone: berlin, events },
  { id: bob, owner: bob, timeZone: berlin, acl: [{ email: alice, role: 'reader' }], events: bobs },
];

export async function startEvents(
  events: readonly object[] = [],
  replacements: Replacements = {},
  env: Readonly<Record<string, string>> = {},
): Promise<EventGateway> {
  const gateway = await startGateway(env, { seed: { calendars: calendars(events) }, ...replacements });
  const run = async (document: string, variables: object, as = alice): Promise<Outcome> =>
    outcomeOf(await gateway.ask(document, variables, { as } satisfies Ask));
  const send = (document: string, { as = alice, ...variables }: Controls): Promise<Outcome> =>
    run(document, { calendarId: as, ...variables }, as);
  const place = (eventId: string, calendarId = alice) => ({ calendarId, eventId });
  return {
    ...gateway,
    run,
    patch: (eventId, event, options) => send(documents.patch, { ...options, eventId, event }),
    insert: (event, options) => send(documents.insert, { ...options, event }),
    read: (eventId, options) => send(documents.read, { ...options, eventId }),
    stored: async (eventId, calendarId) => (await gateway.stores.events.events([place(eventId, calendarId)]))[0],
    async disturb(eventId, core, copy = {}) {
      await gateway.stores.events.updateEvent(place(eventId), (current) => {
        const copies = { ...current.copies, [alice]: { ...current.copies[alice], ...copy } };
        return { next: { ...current, core: { ...current.core, ...core }, copies } as EventRecord, result: undefined };
      });
    },
  };
}

function outcomeOf(answer: Answer): Outcome {
  const problems = (answer.errors ?? []).flatMap(({ extensions: { code, reason, issues } }) =>
    issues.length === 0 ? [`${code} ${reason}`] : issues.map((issue) => `${code} ${issue.path.join('.')} ${issue.reason}`),
  );
  const notes = (answer.warnings ?? []).map(({ path, reason }) => `${path.join('.')} ${reason}`);
  return { ...answer, event: answer.data?.result, problems, notes, guestsNotified: answer.guestsNotified?.result ?? 0 };
}
