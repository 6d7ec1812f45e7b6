import { alice, type EventGateway, type Outcome } from '../event/event.harness.ts';
import { selectEveryField } from '../selections.ts';

const allFields = selectEveryField('Calendar');
const documents = {
  insert: `mutation ($calendar: CalendarInput!, $requestId: String, $validateOnly: Boolean) {
    result: insertCalendar(calendar: $calendar, requestId: $requestId, validateOnly: $validateOnly) ${allFields} }`,
  patch: `mutation ($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String, $validateOnly: Boolean) {
    result: patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch, validateOnly: $validateOnly) ${allFields} }`,
  remove: `mutation ($calendarId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {
    result: deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) }`,
  access: 'query ($calendarId: String!) { result: calendarAccess(calendarId: $calendarId) { email role } }',
  share: `mutation ($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {
    result: setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) { email role } }`,
  read: `query ($calendarId: String!) { result: calendar(calendarId: $calendarId) ${allFields} }`,
  list: '{ result: calendars { id accessRole primary } }',
};

/**
 * Sends calendar operations. The `event` of an outcome is the result of any operation. `args`: further arguments of the
 * operation.
 */
export function calendarsOf(gateway: EventGateway) {
  const send = (document: keyof typeof documents, variables: object, as = alice): Promise<Outcome> =>
    gateway.run(documents[document], variables, as);
  return {
    insert: (calendar: object, args: object = {}, as?: string) => send('insert', { calendar, ...args }, as),
    patch: (calendarId: string, calendar: object, args: object = {}, as?: string) =>
      send('patch', { calendarId, calendar, ...args }, as),
    remove: (calendarId: string, args: object = {}, as?: string) =>
      send('remove', { calendarId, ...args }, as),
    listAccess: (calendarId: string, as?: string) => send('access', { calendarId }, as),
    share: (calendarId: string, email: string, role: string, as?: string) =>
      send('share', { calendarId, email, role }, as),
    read: (calendarId: string, as?: string) => send('read', { calendarId }, as),
    list: (as?: string) => send('list', {}, as),
    /** Creates a calendar and returns its id. */
    async make(calendar: object = {}, as?: string): Promise<string> {
      const { event, problems } = await send('insert', { calendar }, as);
      expect(problems).toEqual([]);
      return (event as { readonly id: string }).id;
    },
  };
}
