import type { CalendarService } from '../../calendar/calendar.service.ts';
import { createCalendarReads } from './calendar-reads.ts';
import { notOffered } from '../not-offered.ts';
import type { UpstreamCalendarParts } from './service-parts.ts';

/** Calendars of the official API. They are made, shared and deleted there. */
export function createUpstreamCalendarService(
  parts: Pick<UpstreamCalendarParts, 'client' | 'schemas'>,
): CalendarService {
  return {
    // Everybody has one there.
    ensurePrimary: () => undefined,
    ...createCalendarReads(parts),
    insertCalendar: notOffered,
    patchCalendar: notOffered,
    deleteCalendar: notOffered,
    listAccess: notOffered,
    setAccess: notOffered,
  };
}
