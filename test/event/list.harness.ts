import {
  alice,
  berlin,
  zonedHour,
  type EventGateway,
  type Outcome,
  type EventJson,
} from './event.harness.ts';
import { selectEveryField } from '../selections.ts';

const listDocument = (fields: string): string => `
  query ($calendarId: String!, $showDeleted: Boolean, $updatedMin: DateTime, $syncToken: String, $first: Int, $after: String) {
    result: events(calendarId: $calendarId, showDeleted: $showDeleted, updatedMin: $updatedMin, syncToken: $syncToken, first: $first, after: $after) {
      nodes ${fields} edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nextSyncToken } }`;
const fullDocument = listDocument(selectEveryField('Event'));
const shortDocument = listDocument('{ id summary status colorId etag }');

/** A list query with all arguments and a few fields of each event. */
export const anyListDocument = `query ($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime, $singleEvents: Boolean, $orderBy: EventOrder, $q: String,
  $iCalUID: String, $private: [String!], $shared: [String!], $showDeleted: Boolean, $syncToken: String, $first: Int, $after: String) {
  result: events(calendarId: $calendarId, timeMin: $timeMin, timeMax: $timeMax, singleEvents: $singleEvents, orderBy: $orderBy, q: $q, iCalUID: $iCalUID,
    privateExtendedProperty: $private, sharedExtendedProperty: $shared, showDeleted: $showDeleted, syncToken: $syncToken, first: $first, after: $after) {
    nodes { id status summary recurringEventId start { dateTime date } } pageInfo { hasNextPage endCursor } nextSyncToken } }`;
export const deleteDocument = `mutation ($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {
  result: deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) }`;

/** Variables of a list query; `as` is the caller, whose own calendar is listed by default. */
export interface ListVariables {
  readonly as?: string;
  readonly calendarId?: string;
  readonly showDeleted?: boolean | null;
  readonly updatedMin?: string | null;
  readonly syncToken?: string | null;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** Page of a list with its problems, as `CODE path reason`. */
export interface ListPage {
  readonly problems: readonly string[];
  readonly outcome: Outcome;
  readonly nodes: EventJson[];
  readonly ids: string[];
  readonly cursors: string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly nextSyncToken: string | null;
}

/** Reads a page, by default of the caller's own calendar, with a few or all fields of its events. */
export async function readPage(
  gateway: EventGateway,
  { as = alice, ...variables }: ListVariables = {},
  includesAllFields = false,
): Promise<ListPage> {
  const outcome = await gateway.run(
    includesAllFields ? fullDocument : shortDocument,
    { calendarId: as, ...variables },
    as,
  );
  const { nodes = [], edges = [], pageInfo, nextSyncToken = null } = outcome.event ?? {};
  const ids = nodes.map(({ id }: EventJson) => id);
  return {
    problems: outcome.problems,
    outcome,
    nodes,
    ids,
    cursors: edges.map(({ cursor }: EventJson) => cursor),
    nextSyncToken,
    ...pageInfo,
  };
}

/** Reads a sync token after all current events. */
export async function readSyncToken(gateway: EventGateway, variables: ListVariables = {}): Promise<string> {
  const { nextSyncToken } = await readPage(gateway, { first: 2500, ...variables });
  if (nextSyncToken === null) throw new Error('there are more events than fit on a page');
  return nextSyncToken;
}

/** A series from ten to eleven in Berlin, 1 to 4 December. */
export const dailySeries = { ...zonedHour, recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] };
/** Returns the id of the instance of `dailySeries` on a day of December. */
export const instanceIdOn = (id: string, day: number): string => `${id}_2026120${day}T090000Z`;
export const instanceIdsOn = (id: string, ...days: number[]): string[] =>
  days.map((day) => instanceIdOn(id, day));
/** Times of an hour in Berlin in winter. */
export const hourAt = (date: string, startHour: number) => {
  const timeAt = (hour: number) => ({
    dateTime: `${date}T${String(hour).padStart(2, '0')}:00:00+01:00`,
    timeZone: berlin,
  });
  return { start: timeAt(startHour), end: timeAt(startHour + 1) };
};
export const withGuests = (...emails: string[]) => ({ attendees: emails.map((email) => ({ email })) });
export const withHiddenGuests = { guestsCanSeeOtherGuests: false };
/** Returns a body that changes only the caller's own guest entry. */
export const responseOf = (email: string, responseStatus: string, comment?: string) => ({
  attendeesOmitted: true,
  attendees: [{ email, responseStatus, ...(comment !== undefined && { comment }) }],
});

/**
 * Lists events with arguments in GraphQL syntax. `statusTexts` has `id status` of each event; `syncToken` is
 * an argument that lists later changes.
 */
export async function listAllEvents(gateway: EventGateway, as: string, args = '', calendarId = as) {
  const { data, errors } = await gateway.ask(
    `{ events(calendarId: "${calendarId}", first: 2500, ${args}) { nodes { id status summary updated etag } nextSyncToken } }`,
    {},
    { as },
  );
  expect(errors).toBeUndefined();
  const { nodes, nextSyncToken } = data.events as { nodes: EventJson[]; nextSyncToken: string };
  const statusTexts = nodes.map(({ id, status }) => `${id} ${status}`);
  return {
    nodes,
    statusTexts,
    ids: nodes.map(({ id }): string => id),
    syncToken: `syncToken: "${nextSyncToken}"`,
  };
}
