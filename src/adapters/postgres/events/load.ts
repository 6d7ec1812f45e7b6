import type { Read } from '../database.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import type { HourCounts } from '../../../core/quota.ts';
import { addressKey } from '../../../core/text/email.ts';
import type { ChangeTarget, ChangeState, GuestCalendar } from '../../../event/event.store.ts';
import {
  hasOwnChanges,
  type EventRecord,
  findImportedEvents,
  parseInstanceId,
} from '../../../event/model/record.ts';
import {
  addOnce,
  buildFirstQueries,
  guestsWithoutCopy,
  type LoadInput,
  buildNextQueries,
} from './load-queries.ts';
import {
  addRows,
  createEmptyRows,
  findLoadedCalendars,
  findEventEntry,
  findRecordKeys,
  type LoadedRows,
  type LoadRequest,
  noEntries,
  type OtherCalendar,
} from './load-rows.ts';
import { instanceKeys } from './load-statements.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedChange {
  readonly state: ChangeState;
  /** Numbers of changes of a series' exceptions, by its key. */
  readonly exceptionRevisions: ReadonlyMap<string, number>;
  /** Exceptions by the key of their series: the event, and events of the same id on guests' calendars. */
  readonly exceptions: ReadonlyMap<string, readonly EventRecord[]>;
  /** Keys of the events with the target's iCalUID, on its calendar or its destination. */
  readonly uidKeys: readonly string[];
  /** Keys of events with the same iCalUID that are stored on the calendars of guests who have no copy yet, by calendar. */
  readonly importedKeys: ReadonlyMap<string, readonly string[]>;
  readonly mailCounts: HourCounts | undefined;
}

/** Attempts to load all records, as an import may move one meanwhile. */
const maxAttempts = 3;

/** Loads the state of a change target, step by step, as rows of one shard lead to others. The usual change by an organizer takes one step. */
export async function loadChange(read: Read, target: ChangeTarget, input: LoadInput): Promise<LoadedChange> {
  const request = toLoadRequest(target);
  for (let attempt = 1; ; attempt += 1) {
    const rows = createEmptyRows(request);
    for (let queries = buildFirstQueries(request, input); ; queries = buildNextQueries(rows)) {
      const newQueries = queries.filter(({ id }) => id === undefined || addOnce(rows.sentQueries, id));
      if (newQueries.length === 0) break;
      const results = await read(newQueries.map(({ statement }) => statement));
      for (const [index, { shard }] of newQueries.entries()) addRows(rows, shard, results[index] ?? []);
    }
    // A missing record means that an import moved the event to another home between two steps.
    if (attempt === maxAttempts || [...findRecordKeys(rows)].every((key) => rows.events.has(key)))
      return toLoadedChange(rows);
  }
}

/** Resolves the ids of a target to lookup keys. */
export function toLoadRequest(target: ChangeTarget): LoadRequest {
  const { calendar: ref, eventId, seriesId, guests } = target;
  const [parent, original] = parseInstanceId(eventId) ? instanceKeys(eventId) : [];
  const ids = {
    event: indexKey(eventId),
    series: seriesId === undefined ? undefined : indexKey(seriesId),
    parent,
    original,
  };
  const calendarId =
    'removedId' in ref
      ? lookupKey(ref.removedId)
      : lookupKey('id' in ref ? ref.id : addressKey(ref.primaryOf));
  return { target, ids, guests: guests.map(lookupKey), calendarId };
}

/** The calendar that stores the event, or will store it. */
export const homeIdOf = ({ event, series, calendar, destination }: ChangeState): string | undefined =>
  destination?.calendar.id ?? (event ?? series)?.homeId ?? calendar?.id;

/** Composes loaded rows to the state that a decision sees, and the values that storing it needs. */
export function toLoadedChange(rows: LoadedRows): LoadedChange {
  const { request, calendars, events, exceptions, exceptionRevisions, exceptionCounts, importedKeys } = rows;
  const { target, ids } = request;
  const { calendar, entries, guests } = findLoadedCalendars(rows);
  const recordOf = (key: string | null | undefined): EventRecord | undefined => events.get(key ?? '');
  const eventEntry = findEventEntry(entries, rows);
  const event = recordOf(eventEntry?.key);
  const seriesEntry = ids.series === undefined ? undefined : entries.byId.get(ids.series);
  const series = recordOf(eventEntry?.seriesKey ?? seriesEntry?.key);
  /** Series whose exceptions may change: the event itself, or the series to divide. */
  const changedSeriesKey =
    eventEntry?.seriesKey === null ? eventEntry.key : target.dividesSeries ? series?.key : undefined;
  const calendarById = (id: string): OtherCalendar | undefined =>
    calendars.get(id) ?? rows.otherCalendars.get(id);
  const destination = calendars.get(target.destinationId ?? '');
  const destinationEntries = rows.entries.get(target.destinationId ?? '') ?? noEntries;
  return {
    state: {
      calendar,
      event,
      series,
      seriesExceptions: exceptions.get(changedSeriesKey ?? '') ?? [],
      exceptionCount:
        (seriesEntry && !(event && hasOwnChanges(event)) && exceptionCounts.get(seriesEntry.key)) || 0,
      eventsWithUid: entries.entriesWithUid.flatMap(({ key }) => recordOf(key) ?? []),
      guests: new Map(
        guests.map(({ guest, calendarId: id, entries: guestEntries }): [string, GuestCalendar] => [
          guest,
          {
            calendarId: id,
            holder: recordOf(findEventEntry(guestEntries, rows)?.key),
            seriesKey: ids.series === undefined ? undefined : guestEntries.byId.get(ids.series)?.key,
            ...findImportedEvents(
              id,
              (importedKeys.get(id) ?? []).flatMap((key) => recordOf(key) ?? []),
              ({ key }) => exceptions.get(key) ?? [],
            ),
          },
        ]),
      ),
      ownerOf: (id) => (id === calendar?.id ? calendar : calendarById(id))?.owner,
      // A deleted calendar has no zone, so no entries are written on it.
      zoneOf: (id) => calendarById(id)?.timeZone,
      // Set by the store, as it depends on the outbox.
      mailQuota: undefined,
      earlierRequest: rows.earlierRequest,
      destination: destination && {
        calendar: destination,
        holderKey: destinationEntries.byId.get(ids.event)?.key,
        uidKeys: destinationEntries.entriesWithUid.map(({ key }) => key),
      },
    },
    exceptionRevisions,
    exceptions,
    uidKeys: (target.destinationId === undefined ? entries : destinationEntries).entriesWithUid.map(
      ({ key }) => key,
    ),
    importedKeys: new Map(
      (target.iCalUID ?? event?.core.iCalUID) === undefined
        ? []
        : guestsWithoutCopy(guests, event).map(({ calendarId: id }) => [id, importedKeys.get(id) ?? []]),
    ),
    mailCounts: rows.mailCounts,
  };
}
