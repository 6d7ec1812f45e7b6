import { includes, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import type { AccessRole } from '../access/role.ts';
import type { CalendarRecord } from './calendar.ts';

/** A calendar as one caller sees it. */
export interface CalendarView {
  readonly id: string;
  readonly timeZone: string;
  readonly accessRole: Exclude<AccessRole, 'none'>;
  /** The caller addresses it as `primary`. */
  readonly primary: boolean;
  /** Shown to writers and owners. */
  readonly defaultReminders?: CalendarRecord['defaultReminders'];
}

/** Undefined for a calendar that the caller may not see. */
export function calendarViewOf(calendar: CalendarRecord, viewer: Viewer, primaryId: string | undefined): CalendarView | undefined {
  const role = roleOn(calendar, viewer);
  if (role === 'none') return undefined;
  const { id, timeZone, defaultReminders } = calendar;
  return { id, timeZone, accessRole: role, primary: id === primaryId, ...(includes(role, 'writer') && { defaultReminders }) };
}

/** Those of some calendars that the caller may see: the primary one first, then the caller's own, then the others. */
export function calendarViewsOf(calendars: readonly CalendarRecord[], viewer: Viewer): CalendarView[] {
  const own = calendars.filter(({ owner }) => isCaller(owner, viewer));
  const primary = own.find(({ id }) => isCaller(id, viewer)) ?? own[0];
  const views = calendars.flatMap((calendar) => calendarViewOf(calendar, viewer, primary?.id) ?? []);
  const rank = (view: CalendarView): number => (view.primary ? 0 : view.accessRole === 'owner' ? 1 : 2);
  return views.sort((a, b) => rank(a) - rank(b));
}
