import type { StoredEvent } from '../event.store.ts';
import { isUnseen, updatedAt, type EventCopy, type EventRecord, type ViewerPart } from './record.ts';

/** What a change altered of an event as one calendar shows it. */
export interface LookChange {
  /** What everybody sees who reads the calendar. */
  readonly shared: boolean;
  /** Those for whom alone something is another: what they keep on the copy themselves. */
  readonly viewers: readonly string[];
}

/** What becomes of an event's look on a calendar. `before` is absent for one that was not there. */
export function lookChange(calendarId: string, before: StoredEvent | undefined, next: StoredEvent): LookChange {
  const { record, series } = next;
  const known = before ? lookOf(calendarId, before) : '';
  const look = lookOf(calendarId, next);
  // An exception that nothing can be seen of looks as the occurrence does.
  const isNews = look !== known && !(series && isUnseen(record, series, calendarId));
  const [then, now] = [before ? viewerTags(calendarId, before) : {}, viewerTags(calendarId, next)];
  return { shared: isNews, viewers: Object.keys(now).filter((identity) => now[identity] !== then[identity]) };
}

/** When an event was last changed as a calendar shows it, in epoch milliseconds; with an identity, to that user. */
export function updatedOn(calendarId: string, { record, series }: StoredEvent, identity?: string): number {
  const open = isOpen(calendarId, { record, series });
  let latest = 0;
  for (const one of series ? [record, series] : [record]) {
    const copy = one.copies[calendarId] ?? series?.copies[calendarId];
    if (copy) latest = Math.max(latest, Date.parse(updatedAt(one, copy, open, identity)));
  }
  return latest;
}

/** The users who keep something on the copy, and when they changed it last: epoch milliseconds. */
export function viewerTimes(calendarId: string, event: StoredEvent): Readonly<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const [identity, { stamp }] of viewersOf(calendarId, event)) times[identity] = Math.max(times[identity] ?? 0, Date.parse(stamp.at));
  return times;
}

/** The tags of all that the calendar shows of the event: another one, another look. Empty where it shows nothing. */
function lookOf(calendarId: string, event: StoredEvent): string {
  if (!copyOf(calendarId, event)) return '';
  const { record, series } = event;
  const open = isOpen(calendarId, event);
  const tags = (one: EventRecord): string => `${(open ? one.openStamp : one.coreStamp).tag} ${one.copies[calendarId]?.stamp.tag ?? ''}`;
  return series ? `${tags(record)} ${tags(series)}` : tags(record);
}

function viewerTags(calendarId: string, event: StoredEvent): Readonly<Record<string, string>> {
  const tags: Record<string, string> = {};
  for (const [identity, { stamp }] of viewersOf(calendarId, event)) tags[identity] = `${tags[identity] ?? ''} ${stamp.tag}`;
  return tags;
}

function viewersOf(calendarId: string, { record, series }: StoredEvent): readonly (readonly [string, ViewerPart])[] {
  const [own, ofSeries] = [record.copies[calendarId]?.viewers, series?.copies[calendarId]?.viewers];
  return own || ofSeries ? [...Object.entries(own ?? {}), ...Object.entries(ofSeries ?? {})] : nobody;
}

const nobody: readonly never[] = [];

/** An exception without a copy of its own is shown through that of its series. */
const copyOf = (calendarId: string, { record, series }: StoredEvent): EventCopy | undefined => record.copies[calendarId] ?? series?.copies[calendarId];

/** The calendar of a guest who does not see the others: changes of their entries do not show there. */
const isOpen = (calendarId: string, event: StoredEvent): boolean => {
  const { record, series } = event;
  // An exception that shows the guests its series hides holds null there.
  const { guestsCanSeeOtherGuests: own } = record.core;
  return (own === undefined ? series?.core.guestsCanSeeOtherGuests : own) === false && (record.copies[calendarId]?.guest ?? series?.copies[calendarId]?.guest) !== undefined;
};
