import { noVariables, type Day, type Sample } from './sample.ts';

/** Operations on calendars themselves, on who may use them, and on what they tell. */
export const calendarSamples = (day: Day): readonly Sample[] => [
  {
    document: `query Calendars {
  calendars {
    id summary timeZone accessRole primary
    defaultReminders { method minutes }
  }
}`,
    variables: noVariables,
  },
  {
    document: `query Calendar {
  calendar(calendarId: "primary") {
    id timeZone accessRole
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation InsertCalendar($newCalendar: CalendarInput!) {
  insertCalendar(calendar: $newCalendar) {
    id summary timeZone etag
  }
}`,
    variables: {
      newCalendar: {
        summary: 'Team',
        timeZone: 'Europe/Berlin',
        backgroundColor: '#0b8043',
        defaultReminders: [{ method: 'popup', minutes: 10 }],
      },
    },
  },
  {
    document: `mutation PatchCalendar($calendar: CalendarInput!) {
  patchCalendar(
    calendarId: "primary"
    calendar: $calendar
  ) {
    id summary backgroundColor etag updated
  }
}`,
    variables: { calendar: { summary: 'Alice', backgroundColor: '#3f51b5' } },
  },
  {
    document: `query CalendarAccess {
  calendarAccess(calendarId: "primary") {
    email role
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation SetCalendarAccess($email: String!, $role: CalendarAccessRole!) {
  setCalendarAccess(
    calendarId: "primary"
    email: $email
    role: $role
  ) {
    email role
  }
}`,
    variables: { email: 'carol@example.com', role: 'reader' },
  },
  {
    document: `query FreeBusy($from: DateTime!, $to: DateTime!) {
  freeBusy(
    calendarIds: ["primary", "bob@example.com"]
    timeMin: $from
    timeMax: $to
    timeZone: "Europe/Berlin"
  ) {
    calendarId
    busy { start end }
    error { reason message }
  }
}`,
    variables: { from: `${day(0)}T00:00:00Z`, to: `${day(5)}T00:00:00Z` },
  },
  {
    document: `subscription CalendarChanged {
  calendarChanged(calendarId: "primary") {
    calendarId changedAt
  }
}`,
    variables: noVariables,
  },
  {
    document: `subscription CalendarsChanged {
  calendarsChanged(
    calendarIds: ["primary", "bob@example.com"]
  ) {
    calendarId changedAt
  }
}`,
    variables: noVariables,
  },
  {
    document: `mutation DeleteCalendar {
  deleteCalendar(
    calendarId: "team@group.calendar.example.com"
    sendUpdates: all
  )
}`,
    variables: noVariables,
  },
];
