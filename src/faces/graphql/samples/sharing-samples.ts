import { noVariables, type Sample } from './sample.ts';

/** Operations on calendars themselves, and on who may use them. */
export const sharingSamples: readonly Sample[] = [
  {
    document: `mutation InsertCalendar($calendar: CalendarInput!) {
  insertCalendar(calendar: $calendar) { id summary timeZone etag }
}`,
    variables: { calendar: { summary: 'Team', timeZone: 'Europe/Berlin', backgroundColor: '#0b8043', defaultReminders: [{ method: 'popup', minutes: 10 }] } },
  },
  {
    document: `mutation PatchCalendar($calendar: CalendarInput!) {
  patchCalendar(calendarId: "primary", calendar: $calendar) { id summary backgroundColor etag updated }
}`,
    variables: { calendar: { summary: 'Alice', backgroundColor: '#3f51b5' } },
  },
  {
    document: `mutation SetCalendarAccess($email: String!, $role: CalendarAccessRole!) {
  setCalendarAccess(calendarId: "primary", email: $email, role: $role) { email role }
}`,
    variables: { email: 'carol@example.com', role: 'reader' },
  },
  {
    document: `query CalendarAccess {
  calendarAccess(calendarId: "primary") { email role }
}`,
    variables: noVariables,
  },
  {
    document: `mutation DeleteCalendar {
  deleteCalendar(calendarId: "team@group.calendar.example.com", sendUpdates: all)
}`,
    variables: noVariables,
  },
];
