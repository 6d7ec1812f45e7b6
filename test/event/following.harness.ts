import { selectEveryField } from '../selections.ts';
import {
  alice,
  berlin,
  bob,
  eve,
  type Controls,
  type EventGateway,
  type Outcome,
  type EventJson,
} from './event.harness.ts';

export const inBerlin = (dateTime: string) => ({ dateTime, timeZone: berlin });
/** Six Mondays at nine in Berlin, across the end of summer time on 25 October 2026. */
export const weeklySeries = {
  summary: 'Planning',
  location: 'Room 3',
  sequence: 3,
  extendedProperties: { shared: { project: 'x' }, private: { own: 'a' } },
  start: inBerlin('2026-10-12T09:00:00+02:00'),
  end: inBerlin('2026-10-12T10:00:00+02:00'),
  recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=6'],
  attendees: [{ email: alice, responseStatus: 'accepted' }, { email: bob }, { email: eve }],
};
/** Original starts of the instances of the weekly series, as their ids end. */
export const originalStarts = [
  '20261012T070000Z',
  '20261019T070000Z',
  '20261026T080000Z',
  '20261102T080000Z',
  '20261109T080000Z',
  '20261116T080000Z',
] as const;
const allFields = selectEveryField('Event');
const controlVariables =
  '$calendarId: String!, $eventId: String!, $sendUpdates: SendUpdates, $ifMatch: String';
/** GraphQL documents for divided series; their root field has the alias `result`. */
export const documents = {
  patch: `mutation (${controlVariables}, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $requestId: String, $validateOnly: Boolean, $maxAttendees: Int, $conferenceDataVersion: Int) {
    result: patchFollowingEvents(calendarId: $calendarId, eventId: $eventId, sendUpdates: $sendUpdates, ifMatch: $ifMatch, event: $event,
      attendeeChanges: $attendeeChanges, requestId: $requestId, validateOnly: $validateOnly, maxAttendees: $maxAttendees, conferenceDataVersion: $conferenceDataVersion) { before ${allFields} following ${allFields} } }`,
  delete: `mutation (${controlVariables}) { result: deleteFollowingEvents(calendarId: $calendarId, eventId: $eventId, sendUpdates: $sendUpdates, ifMatch: $ifMatch) ${allFields} }`,
  list: `query ($calendarId: String!, $syncToken: String, $singleEvents: Boolean) { result: events(calendarId: $calendarId, syncToken: $syncToken, singleEvents: $singleEvents, first: 2500,
    showDeleted: false) { nodes { id status summary iCalUID start { dateTime } } nextSyncToken } }`,
  instances: `query ($calendarId: String!, $eventId: String!) { result: instances(calendarId: $calendarId, eventId: $eventId, first: 50) { nodes { id summary location status start { dateTime date } end { dateTime } } } }`,
};

/** Creates functions that divide series on a gateway and list the instances of both parts. */
export function createSeriesSplitter(gateway: EventGateway) {
  const run = (document: string, { as = alice, ...variables }: Controls): Promise<Outcome> =>
    gateway.run(document, { calendarId: as, ...variables }, as);
  /** Divides a series at an instance with `patchFollowingEvents`. */
  const splitSeries = (eventId: string, event: object = {}, options: Controls = {}): Promise<Outcome> =>
    run(documents.patch, { ...options, eventId, event });
  /** Expects no problems and no warnings, and returns the result. */
  const expectNoProblems = async (outcome: Promise<Outcome>): Promise<EventJson> => {
    const { problems, warningTexts, event } = await outcome;
    expect({ problems, warningTexts }).toEqual({ problems: [], warningTexts: [] });
    return event;
  };
  const listInstances = async (eventId: string, as = alice): Promise<EventJson[]> =>
    (await expectNoProblems(run(documents.instances, { as, eventId }))).nodes;
  const listOriginalStarts = async (eventId: string, as = alice): Promise<string[]> =>
    (await listInstances(eventId, as)).map(({ id }) => id.slice(id.lastIndexOf('_') + 1));
  const makeSeries = (body: object = {}): Promise<EventJson> =>
    gateway.makeEvent({ ...weeklySeries, ...body });
  const nthInstanceId = ({ id }: EventJson, index: number): string => `${id}_${originalStarts[index]}`;
  return {
    run,
    splitSeries,
    expectNoProblems,
    listInstances,
    listOriginalStarts,
    makeSeries,
    nthInstanceId,
  };
}
