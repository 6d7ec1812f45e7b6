import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze } from '../../core/patch.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.ts';
import type {
  CalendarState,
  PendingChange,
  ChangeTarget,
  EventStore,
  ChangeState,
  GuestCalendar,
  SeriesState,
  WorkItem,
} from '../../event/event.store.ts';
import { additions, project, replaceable, type Replacement } from '../../event/projection/projection.ts';
import {
  changesAnything,
  idsByCalendar,
  instanceOf,
  originalStartOf,
  type EventRecord,
  type EventReference,
  type StoredEvent,
} from '../../event/model/record.ts';
import type { MemoryCalendarStore } from './calendar-store.ts';
import { CalendarIndex, storedIn } from './calendar-index.ts';
import { pageOf } from './calendar-page.ts';
import { createInvitationIndex } from './invitation-index.ts';
import { createMailCounts, type MemoryOutbox } from './outbox.ts';
import { createRequestRecords } from './request-records.ts';

/** Events in the memory of this process, on its calendars: maps by calendar and id, so that no change costs more with more events. */
export function createMemoryEventStore(
  clock: Clock,
  calendars: MemoryCalendarStore,
  outbox: Pick<MemoryOutbox<never>, 'addMails' | 'roomForMails'>,
): EventStore {
  const indexes = new Map<string, CalendarIndex>();
  /** By the key of a series and the original start. */
  const exceptions = new Map<string, Map<string, EventRecord>>();
  const watchers = new Set<(calendarId: string) => void>();
  const epoch = randomUUID();
  /** Calendars that are there again: their revisions are none of before. */
  const reborn = new Set<string>();
  const requests = createRequestRecords(clock);
  const mailCounts = createMailCounts(clock);
  const invitations = createInvitationIndex((guest) => calendars.find({ primaryOf: guest }) !== undefined);

  const exceptionsOf = ({ key }: EventRecord): EventRecord[] => [...(exceptions.get(key)?.values() ?? [])];

  /** The event of a reference; of an occurrence its exception, also where that has left the calendar of its series. */
  function find({ calendarId, eventId }: EventReference): StoredEvent | undefined {
    const index = indexes.get(calendarId);
    const own = index?.byId.get(eventId);
    if (own) return storedIn(own);
    const named = instanceOf(eventId);
    const series = named && index?.byId.get(named.seriesId)?.record;
    const record = series && exceptions.get(series.key)?.get(named.original);
    return record && { record, series };
  }

  const calendarAt = (id: string): CalendarRecord | undefined => calendars.find({ id });

  const indexOf = (calendarId: string): CalendarIndex => {
    const index =
      indexes.get(calendarId) ?? new CalendarIndex(calendarId, reborn.has(calendarId) ? randomUUID() : epoch);
    indexes.set(calendarId, index);
    return index;
  };

  function stateOf(ref: CalendarRef): CalendarState | undefined {
    const calendar = calendars.find(ref);
    return calendar && { calendar, revision: indexOf(calendar.id).changes.revision() };
  }

  function guestCalendar(
    guest: string,
    { eventId, seriesId }: ChangeTarget,
  ): readonly [string, GuestCalendar][] {
    const calendarId = calendars.find({ primaryOf: guest })?.id;
    if (calendarId === undefined) return [];
    const seriesKey =
      seriesId === undefined ? undefined : indexes.get(calendarId)?.byId.get(seriesId)?.record.key;
    return [[guest, { calendarId, holder: find({ calendarId, eventId })?.record, seriesKey }]];
  }

  /** Gives the calendars on which something of it is to be seen. */
  function put({ before, next, series, exception: decided }: Replacement): string[] {
    deepFreeze(next);
    const exceptionsHere = exceptions.get(next.key);
    const projection = project(
      { before, next, series, exceptions: exceptionsOf(next), exception: decided },
      (calendarId) => calendarAt(calendarId)?.timeZone,
    );
    invitations.put(before, next);
    if (series)
      exceptions.set(
        series.key,
        (exceptions.get(series.key) ?? new Map<string, EventRecord>()).set(originalStartOf(next), next),
      );
    for (const { before: old, next: exception } of projection.exceptions) {
      if (exception !== old) exceptionsHere?.set(originalStartOf(exception), deepFreeze(exception));
    }
    for (const old of projection.dropped) {
      exceptionsHere?.delete(originalStartOf(old));
      for (const [calendarId, id] of idsByCalendar(old, before)) indexes.get(calendarId)?.drop(id, old.key);
    }
    for (const entry of projection.entries) indexOf(entry.calendarId).put(entry);
    return projection.entries
      .filter(({ change: { shared, viewers } }) => shared || viewers.length > 0)
      .map(({ calendarId }) => calendarId);
  }

  function change<T>({ target, decide }: PendingChange<T>): T {
    const { eventId, seriesId, iCalUID, request, mailsBy } = target;
    const calendar = calendars.find(target.calendar);
    const index = calendar && indexes.get(calendar.id);
    const entry = calendar && find({ calendarId: calendar.id, eventId });
    const series = entry?.series ?? (seriesId === undefined ? undefined : index?.byId.get(seriesId)?.record);
    const found: ChangeState = {
      calendar,
      event: entry?.record,
      series,
      ofSeries:
        entry && !entry.record.instance
          ? exceptionsOf(entry.record)
          : target.divides && series
            ? exceptionsOf(series)
            : [],
      exceptions:
        !series || (entry && changesAnything(entry.record))
          ? 0
          : exceptionsOf(series).filter(changesAnything).length,
      sameUid: iCalUID === undefined ? [] : (index?.withUid(iCalUID) ?? []).map(({ record }) => record),
      guests: new Map(target.guests.flatMap((guest) => guestCalendar(guest, target))),
      ownerOf: (calendarId) => calendarAt(calendarId)?.owner,
      zoneOf: (calendarId) => calendarAt(calendarId)?.timeZone,
      mailRoom:
        calendar && mailsBy !== undefined
          ? {
              bytes: outbox.roomForMails((entry?.record ?? series)?.homeId ?? calendar.id),
              mails: mailCounts.left(mailsBy),
            }
          : undefined,
      earlier: request && requests.find(request),
    };
    const { next, exception, added, outcome, mails = [], result } = decide(found);
    const known = replaceable(found, target);
    const isNew = next !== undefined && !known.includes(next);
    if (isNew || (added && !next)) {
      const before = known.find(({ key }) => key === next?.key);
      const replacement = next && {
        before,
        next,
        series: next.instance && found.series,
        exceptions: [],
        exception,
      };
      const replacements = [...(replacement ? [replacement] : []), ...(added ? additions(added) : [])];
      for (const calendarId of new Set(replacements.flatMap(put))) tell(calendarId);
      if (mails.length > 0 && outbox.addMails((next ?? (added as SeriesState).record).homeId, mails))
        mailCounts.add(mailsBy, mails.length);
    }
    if (outcome !== undefined) requests.add(request, outcome);
    return result;
  }

  const tell = (calendarId: string): void => {
    for (const watcher of watchers) watcher(calendarId);
  };

  calendars.followedBy({
    allDayEvents: (calendarId, most) => indexes.get(calendarId)?.countDaily(most) ?? 0,
    prepareZone: async (calendarId, zone) => indexes.get(calendarId)?.prepareZone(zone),
    follow(calendarId, { zone, isReborn }) {
      if (isReborn) forget(calendarId);
      if (zone !== undefined) indexes.get(calendarId)?.moveDays(zone);
      tell(calendarId);
    },
  });

  /** Takes away a calendar's events, on all calendars, and what it showed of others. */
  function forget(calendarId: string): void {
    for (const { record, series } of indexes.get(calendarId)?.behind(0) ?? []) {
      if (record.homeId !== calendarId) continue;
      exceptions.delete(record.key);
      invitations.drop(record);
      for (const [other, id] of idsByCalendar(record, series))
        if (other !== calendarId) indexes.get(other)?.drop(id, record.key);
    }
    indexes.delete(calendarId);
    reborn.add(calendarId);
  }

  const isSeenElsewhere = ({ copies }: EventRecord, calendarId: string): boolean =>
    Object.keys(copies).some((id) => id !== calendarId && calendarAt(id));

  return {
    calendarStates: async (refs) => refs.map(stateOf),
    events: async (references) => references.map(find),

    listEvents: (calendarId, query) => pageOf(indexOf(calendarId), query),

    safeRevision: async (_calendarId, revision) => revision,
    async listCalendar(ref, queryOf) {
      const state = stateOf(ref);
      const query = queryOf(state);
      return state && pageOf(indexOf(state.calendar.id), query);
    },

    eventsBehind: async (calendarId, eventId, limit) =>
      indexes.get(calendarId)?.standingBehind(eventId, limit) ?? [],

    exceptionsOf: async (series) =>
      series.map((record) => {
        const current = indexes.get(record.homeId)?.byId.get(record.copies[record.homeId]?.id ?? '')?.record;
        return { record: current?.key === record.key ? current : record, exceptions: exceptionsOf(record) };
      }),

    changeEvent: async (target, decide) => change({ target, decide }),
    importEvents: async (changes) => changes.map(change),

    eventsInviting: async (address, calendarId, behind, limit) =>
      invitations.of(
        address,
        behind,
        limit,
        ({ calendarId: home, eventId }) =>
          find({ calendarId: home, eventId })?.record.copies[calendarId] === undefined,
      ),

    async eventsAtHome(calendarId, behind, limit) {
      const found: WorkItem[] = [];
      for (const { record, position } of indexes.get(calendarId)?.behind(Number(behind ?? 0)) ?? []) {
        if (found.length === limit) break;
        if (record.homeId === calendarId && !record.instance)
          found.push({ cursor: String(position), calendarId, eventId: record.copies[calendarId]?.id ?? '' });
      }
      return found;
    },

    async clearCalendar(calendarId) {
      if (calendarAt(calendarId)) return true;
      for (const { record } of indexes.get(calendarId)?.behind(0) ?? []) {
        if (record.homeId === calendarId && !isSeenElsewhere(record, calendarId)) invitations.drop(record);
      }
      return !indexes.delete(calendarId);
    },

    watchCalendars(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
