import { AppError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type EventCopy, type EventRecord, isSeries } from '../model/record.ts';

/** Target of an import: the event with its iCalUID, an instance of that series, or a new event. */
export interface ImportTarget {
  /** Stored event with the iCalUID, or the series; absent for a new event. */
  readonly storedRecord: EventRecord | undefined;
  readonly eventId: string;
  /** Id of the series, if the body is an instance of it; `storedRecord` then is that series. */
  readonly seriesId?: string;
  /** Guests whose calendars the change needs besides those of the body, as `addressKey` writes them. */
  readonly guests?: readonly string[];
}

/** Attempts of an import while others add or remove events with its iCalUID. */
export const maxImportAttempts = 5;

/** Error of an import whose target changed at each attempt. */
export const changesTooOftenError = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar changes too often, so the event could not be imported. Try again.',
  );

/** Target of an import whose iCalUID the calendar does not have. */
export const createNewTarget = (original: string | undefined, seriesId: string = newId()): ImportTarget => ({
  storedRecord: undefined,
  eventId: original === undefined ? newId() : `${seriesId}_${original}`,
});

/** Finds the target of an import among the calendar's events with its iCalUID; undefined if there is none. */
export function pickTarget(
  records: readonly EventRecord[],
  calendarId: string,
  original: string | undefined,
): ImportTarget | undefined {
  const mainRecord = records.find(({ instance, core }) => !instance && core.recurringEventId === undefined);
  const instancesWithoutSeries = filterStandaloneInstances(records, calendarId);
  if (original === undefined)
    return mainRecord && { storedRecord: mainRecord, eventId: eventIdOn(calendarId, mainRecord) };
  if (mainRecord && (isSeries(mainRecord) || !isImportedOn(mainRecord, calendarId))) {
    const seriesId = eventIdOn(calendarId, mainRecord);
    return { storedRecord: mainRecord, eventId: `${seriesId}_${original}`, seriesId };
  }
  const storedRecord = instancesWithoutSeries.find(
    ({ core }) => toOriginalStart(core.originalStartTime) === original,
  );
  return storedRecord
    ? { storedRecord, eventId: eventIdOn(calendarId, storedRecord) }
    : instancesWithoutSeries[0] && createNewTarget(original, instancesWithoutSeries[0].core.recurringEventId);
}

export const eventIdOn = (calendarId: string, { copies }: EventRecord): string =>
  (copies[calendarId] as EventCopy).id;

/** Instances that are stored without their series and that the calendar shows. */
export const filterStandaloneInstances = (
  records: readonly EventRecord[],
  calendarId: string,
): readonly EventRecord[] =>
  records.filter(
    ({ instance, core, copies }) =>
      !instance && core.recurringEventId !== undefined && copies[calendarId]?.state !== 'uninvited',
  );

export const isImportedOn = ({ copies }: EventRecord, calendarId: string): boolean =>
  (copies[calendarId] as EventCopy).imported === true;
