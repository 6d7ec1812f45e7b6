import { type AccessRole, includesRole, isCaller, roleOn, type Viewer } from '../access/permissions.ts';
import { canonicalJson } from '../core/json.ts';
import { etagOfText } from '../core/if-match.ts';
import { nodeIdOf } from '../core/ids.ts';
import { findPrimary, type CalendarRecord } from './calendar.store.ts';

/** A calendar as one caller sees it. */
export interface CalendarView extends Partial<
  Pick<CalendarRecord, 'description' | 'location' | 'backgroundColor' | 'created' | 'updated'>
> {
  readonly kind: 'calendar#calendar';
  readonly etag: string;
  readonly nodeId: string;
  readonly id: string;
  /** Defaults to the id. */
  readonly summary: string;
  readonly timeZone: string;
  readonly accessRole: Exclude<AccessRole, 'none'>;
  /** True if the caller may address the calendar as `primary`. */
  readonly primary: boolean;
  /** Only shown to writers and owners. */
  readonly defaultReminders?: CalendarRecord['defaultReminders'];
  /** URL of the calendar's iCalendar feed. Only shown to owners. */
  readonly feedUrl?: string | undefined;
}

/** Returns the URL of a calendar's feed; undefined if there is none. */
export type FeedUrlOf = (calendar: CalendarRecord) => string | undefined;

/** Shows a calendar to a caller; undefined without access. */
export function calendarViewOf(
  calendar: CalendarRecord,
  viewer: Viewer,
  primaryId: string | undefined,
  feedUrlOf?: FeedUrlOf,
): CalendarView | undefined {
  const role = roleOn(calendar, viewer);
  if (role === 'none') return undefined;
  const { id, summary, timeZone, defaultReminders } = calendar;
  return {
    kind: 'calendar#calendar',
    nodeId: nodeIdOf('calendar', id),
    id,
    // Getters are computed only if they are read.
    get etag() {
      return calendarEtagOf(calendar);
    },
    summary: summary ?? id,
    description: calendar.description,
    location: calendar.location,
    timeZone,
    backgroundColor: calendar.backgroundColor,
    ...(includesRole(role, 'writer') && { defaultReminders }),
    ...(role === 'owner' &&
      feedUrlOf && {
        get feedUrl() {
          return feedUrlOf(calendar);
        },
      }),
    accessRole: role,
    primary: id === primaryId,
    created: calendar.created,
    updated: calendar.updated,
  };
}

/** Etag of the settings without the access list and the feed; equal for all callers. */
export const calendarEtagOf = ({ acl: _acl, feedSeed: _feedSeed, ...settings }: CalendarRecord): string =>
  etagOfText(canonicalJson(settings));

/** Builds the views of the calendars that the viewer may see, sorted by `compareCalendars`. */
export function calendarViewsOf(
  calendars: readonly CalendarRecord[],
  viewer: Viewer,
  feedUrlOf?: FeedUrlOf,
): CalendarView[] {
  const primary = findPrimary(calendars.filter(({ owner }) => isCaller(owner, viewer)));
  const views = calendars.flatMap(
    (calendar) => calendarViewOf(calendar, viewer, primary?.id, feedUrlOf) ?? [],
  );
  return views.sort(compareCalendars);
}

const rankOf = (view: CalendarView): number => (view.primary ? 0 : view.accessRole === 'owner' ? 1 : 2);

/** Sorts the primary calendar first, then the caller's own, then the others. */
export const compareCalendars = (a: CalendarView, b: CalendarView): number => rankOf(a) - rankOf(b);
