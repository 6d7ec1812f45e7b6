/** The arguments of the calendar service's operations. */
export interface GetCalendarArgs {
  readonly calendarId: string;
}
