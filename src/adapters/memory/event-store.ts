import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze, frozenCopy } from '../../core/json.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.store.ts';
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
import {
  replacementsForNewSeries,
  projectRecord,
  replaceableRecords,
  type Replacement,
} from '../../event/projection/projection.ts';
import {
  hasOwnChanges,
  findImportedEvents,
  idsByCalendar,
  parseInstanceId,
  originalStartOf,
  type EventRecord,
  type EventReference,
  type StoredEvent,
} from '../../event/model/record.ts';
import type { MemoryCalendarStore } from './calendar-store.ts';
import { CalendarIndex, copyEvent } from './calendar-index.ts';
import { readPage } from './list-page.ts';
import { measureEvents } from './measure-events.ts';
import { createInvitationIndex } from './invitation-index.ts';
import { createMailCounts, type MemoryOutbox } from './outbox.ts';
import { createRequestRecords } from './request-records.ts';

/** The event store of one process: maps by calendar and id keep the cost of a change independent of the number of events. */
export function createMemoryEventStore(
  clock: Clock,
  calendars: MemoryCalendarStore,
  outbox: Pick<MemoryOutbox<never>, 'addMails' | 'freeMailBytes'>,
): EventStore {
  /** Calendars' events by id, time and change; created when a calendar is first used. */
  const indexesByCalendar = new Map<string, CalendarIndex>();
  /** Exceptions by the key of their series and the original start. */
  const exceptionsBySeries = new Map<string, Map<string, EventRecord>>();
  const watchers = new Set<(calendarId: string) => void>();
  const revisionPrefix = randomUUID();
  /** Ids of calendars created again after a deletion: their old revisions must not match. */
  const recreatedIds = new Set<string>();
  const requests = createRequestRecords(clock);
  const mailCounts = createMailCounts(clock);
  const invitations = createInvitationIndex((guest) => calendars.find({ primaryOf: guest }) !== undefined);

  const exceptionsOf = ({ key }: EventRecord): EventRecord[] => [
    ...(exceptionsBySeries.get(key)?.values() ?? []),
  ];

  /** Finds an event. The id of an occurrence finds its exception, even one that has left the calendar of its series. */
  function findEvent({ calendarId, eventId }: EventReference): StoredEvent | undefined {
    const index = indexesByCalendar.get(calendarId);
    const entry = index?.byId.get(eventId);
    if (entry) return copyEvent(entry);
    const instanceId = parseInstanceId(eventId);
    const series = instanceId && index?.byId.get(instanceId.seriesId)?.record;
    const record = series && exceptionsBySeries.get(series.key)?.get(instanceId.original);
    return record && { record, series };
  }

  const recordsWithUid = (calendarId: string, iCalUID: string | undefined): EventRecord[] =>
    iCalUID === undefined
      ? []
      : (indexesByCalendar.get(calendarId)?.entriesWithUid(iCalUID) ?? []).map(({ record }) => record);

  const calendarById = (id: string): CalendarRecord | undefined => calendars.find({ id });

  const getOrCreateIndex = (calendarId: string): CalendarIndex => {
    const index =
      indexesByCalendar.get(calendarId) ??
      new CalendarIndex(calendarId, recreatedIds.has(calendarId) ? randomUUID() : revisionPrefix);
    indexesByCalendar.set(calendarId, index);
    return index;
  };

  function stateOf(ref: CalendarRef): CalendarState | undefined {
    const calendar = calendars.find(ref);
    return calendar && { calendar, revision: getOrCreateIndex(calendar.id).changeLog.currentRevision() };
  }

  /**
   * Finds a guest's primary calendar, as an entry for `ChangeState.guests`; no entry if the guest has none.
   */
  function findGuestCalendar(
    guest: string,
    { eventId, seriesId }: ChangeTarget,
    iCalUID: string | undefined,
  ): readonly [string, GuestCalendar][] {
    const calendarId = calendars.find({ primaryOf: guest })?.id;
    if (calendarId === undefined) return [];
    const seriesKey =
      seriesId === undefined ? undefined : indexesByCalendar.get(calendarId)?.byId.get(seriesId)?.record.key;
    const guestCalendar: GuestCalendar = {
      calendarId,
      holder: findEvent({ calendarId, eventId })?.record,
      seriesKey,
      ...findImportedEvents(calendarId, recordsWithUid(calendarId, iCalUID), exceptionsOf),
    };
    return [[guest, guestCalendar]];
  }

  /** Finds the calendar to which the target's event may move, with the events that could conflict there. */
  function findDestination({ eventId, iCalUID, destinationId }: ChangeTarget): ChangeState['destination'] {
    if (destinationId === undefined) return undefined;
    const calendar = calendarById(destinationId);
    return (
      calendar && {
        calendar,
        holderKey: indexesByCalendar.get(destinationId)?.byId.get(eventId)?.record.key,
        uidKeys: recordsWithUid(destinationId, iCalUID).map(({ key }) => key),
      }
    );
  }

  /** Files an exception under its series, in place of an earlier version. */
  function putException(seriesKey: string, exception: EventRecord): void {
    const exceptionsByStart = exceptionsBySeries.get(seriesKey) ?? new Map<string, EventRecord>();
    exceptionsBySeries.set(seriesKey, exceptionsByStart.set(originalStartOf(exception), exception));
  }

  /** Stores a record and returns the calendars on which the change is visible. */
  function putRecord({ before, next, series, decidedExceptions }: Replacement): string[] {
    const projection = projectRecord(
      { before, next, series, exceptions: exceptionsOf(next), decidedExceptions },
      (calendarId) => calendarById(calendarId)?.timeZone,
    );
    invitations.put(before, next);
    if (series) putException(series.key, next);
    for (const { before: previous, next: exception } of projection.exceptions) {
      if (exception === previous) continue;
      putException(next.key, deepFreeze(exception));
      invitations.put(previous, exception);
    }
    for (const previous of projection.deletedExceptions) {
      exceptionsBySeries.get(next.key)?.delete(originalStartOf(previous));
      for (const [calendarId, id] of idsByCalendar(previous, before))
        indexesByCalendar.get(calendarId)?.removeEntry(id, previous.key);
      invitations.drop(previous);
    }
    const changedCalendars = new Set<string>();
    for (const entry of projection.entries) {
      const { calendarId, change } = entry;
      getOrCreateIndex(calendarId).putEntry(entry);
      if (change.isShared || change.viewers.length > 0) changedCalendars.add(calendarId);
    }
    return [...changedCalendars];
  }

  /** Loads the target's state, decides the change, and stores it: synchronously, so that nothing changes meanwhile. */
  function applyChange<T>({ target, decide }: PendingChange<T>): T {
    const { eventId, seriesId, iCalUID, request, mailSender, destinationId } = target;
    const calendar = calendars.find(target.calendar);
    const index = calendar && indexesByCalendar.get(calendar.id);
    const storedEvent = calendar && findEvent({ calendarId: calendar.id, eventId });
    const series =
      storedEvent?.series ?? (seriesId === undefined ? undefined : index?.byId.get(seriesId)?.record);
    const state: ChangeState = {
      calendar,
      event: storedEvent?.record,
      series,
      seriesExceptions:
        storedEvent && !storedEvent.record.instance
          ? exceptionsOf(storedEvent.record)
          : target.dividesSeries && series
            ? exceptionsOf(series)
            : [],
      exceptionCount:
        !series || (storedEvent && hasOwnChanges(storedEvent.record))
          ? 0
          : exceptionsOf(series).filter(hasOwnChanges).length,
      eventsWithUid: calendar && destinationId === undefined ? recordsWithUid(calendar.id, iCalUID) : [],
      guests: new Map(
        target.guests.flatMap((guest) =>
          findGuestCalendar(guest, target, iCalUID ?? storedEvent?.record.core.iCalUID),
        ),
      ),
      ownerOf: (calendarId) => calendarById(calendarId)?.owner,
      zoneOf: (calendarId) => calendarById(calendarId)?.timeZone,
      mailQuota:
        calendar && mailSender !== undefined
          ? {
              bytes: outbox.freeMailBytes((storedEvent?.record ?? series)?.homeId ?? calendar.id),
              mails: mailCounts.remainingMails(mailSender),
            }
          : undefined,
      earlierRequest: request && requests.find(request),
      destination: findDestination(target),
    };
    const { mails = [], result, ...decision } = decide(state);
    const { next, exceptions: decidedExceptions, added = [], replaced = [], outcome } = frozenCopy(decision);
    const storedRecords = replaceableRecords(state, target);
    const hasNextChanged = next !== undefined && storedRecords.get(next.key) !== next;
    if (hasNextChanged || (added.length > 0 && !next)) {
      const replacement = next && {
        before: storedRecords.get(next.key),
        next,
        series: next.instance && state.series,
        exceptions: [],
        decidedExceptions,
      };
      const replacements = [
        ...(replacement ? [replacement] : []),
        ...added.flatMap(replacementsForNewSeries),
        ...replaced.map((record) => ({
          before: storedRecords.get(record.key),
          next: record,
          series: undefined,
          exceptions: [],
        })),
      ];
      for (const calendarId of new Set(replacements.flatMap(putRecord))) notifyWatchers(calendarId);
      // Mails that the outbox cannot take are dropped and do not count.
      if (mails.length > 0 && outbox.addMails((next ?? (added[0] as SeriesState).record).homeId, mails))
        mailCounts.add(mailSender, mails.length);
    }
    if (outcome !== undefined) requests.add(request, outcome);
    return result;
  }

  const notifyWatchers = (calendarId: string): void => {
    for (const watcher of watchers) watcher(calendarId);
  };

  calendars.setFollower({
    countAllDayEvents: (calendarId, maxEvents) =>
      indexesByCalendar.get(calendarId)?.countAllDay(maxEvents) ?? 0,
    prepareZone: async (calendarId, zone) => indexesByCalendar.get(calendarId)?.prepareZone(zone),
    onCalendarChanged(calendarId, { zone, isRecreated }) {
      if (isRecreated) forgetCalendar(calendarId);
      if (zone !== undefined) indexesByCalendar.get(calendarId)?.moveToZone(zone);
      notifyWatchers(calendarId);
    },
  });

  /** Removes the events of a calendar from all calendars, and its entries of other events. */
  function forgetCalendar(calendarId: string): void {
    for (const { record, series } of indexesByCalendar.get(calendarId)?.entriesAfter(0) ?? []) {
      if (record.homeId !== calendarId) continue;
      exceptionsBySeries.delete(record.key);
      invitations.drop(record);
      for (const [otherId, id] of idsByCalendar(record, series))
        if (otherId !== calendarId) indexesByCalendar.get(otherId)?.removeEntry(id, record.key);
    }
    indexesByCalendar.delete(calendarId);
    recreatedIds.add(calendarId);
  }

  const isOnOtherCalendar = ({ copies }: EventRecord, calendarId: string): boolean =>
    Object.keys(copies).some((id) => id !== calendarId && calendarById(id));

  return {
    calendarStates: async (refs) => refs.map(stateOf),
    events: async (references) => references.map(findEvent),

    listEvents: (calendarId, query) => readPage(getOrCreateIndex(calendarId), query),

    measureEvents: (calendarId, from, limits) => measureEvents(getOrCreateIndex(calendarId), from, limits),

    // All changes of this process are visible at once, so every revision is safe.
    safeRevision: async (_calendarId, revision) => revision,
    async listCalendar(ref, queryOf) {
      const state = stateOf(ref);
      const query = queryOf(state);
      return state && readPage(getOrCreateIndex(state.calendar.id), query);
    },

    eventsAfter: async (calendarId, eventId, limit) =>
      indexesByCalendar.get(calendarId)?.entriesAfterId(eventId, limit) ?? [],

    exceptionsOf: async (series) =>
      series.map((record) => {
        const currentRecord = indexesByCalendar
          .get(record.homeId)
          ?.byId.get(record.copies[record.homeId]?.id ?? '')?.record;
        return {
          record: currentRecord?.key === record.key ? currentRecord : record,
          exceptions: exceptionsOf(record),
        };
      }),

    changeEvent: async (target, decide) => applyChange({ target, decide }),
    importEvents: async (changes) => changes.map(applyChange),

    eventsInviting: async (address, calendarId, cursor, limit) =>
      invitations.invitationsOf(
        address,
        cursor,
        limit,
        ({ calendarId: homeId, eventId }) =>
          findEvent({ calendarId: homeId, eventId })?.record.copies[calendarId] === undefined,
      ),

    async eventsAtHome(calendarId, cursor, limit) {
      const items: WorkItem[] = [];
      for (const { record, position } of indexesByCalendar
        .get(calendarId)
        ?.entriesAfter(Number(cursor ?? 0)) ?? []) {
        if (items.length === limit) break;
        if (record.homeId === calendarId && !record.instance)
          items.push({ cursor: String(position), calendarId, eventId: record.copies[calendarId]?.id ?? '' });
      }
      return items;
    },

    async clearCalendar(calendarId) {
      if (calendarById(calendarId)) return true;
      // Without other calendars, the events go with this index; only their invitations have to be dropped.
      for (const { record } of indexesByCalendar.get(calendarId)?.entriesAfter(0) ?? []) {
        if (record.homeId === calendarId && !isOnOtherCalendar(record, calendarId)) invitations.drop(record);
      }
      return !indexesByCalendar.delete(calendarId);
    },

    watchCalendars(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}
