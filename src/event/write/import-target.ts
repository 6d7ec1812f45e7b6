import { AppError } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { type EventCopy, type EventRecord, isSeries } from '../model/record.ts';

/** Target of an import: the event with its iCalUID, an instance of that series, or a new event. */
export interface ImportTarget {
  /** Stored event with the iCalUID, or the series; absent for a new event. */
  readonly found: EventRecord | undefined;
  readonly eventId: string;
  /** Series that `found` is, if the body is an instance of it. */
  readonly seriesId?: string;
  /** Guests whose calendars the change needs besides those of the body, as `addressKey` writes them. */
  readonly guests?: readonly string[];
}

/** Attempts of an import while others add or remove events with its iCalUID. */
export const maxImportAttempts = 5;

export const changesTooOften = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar changes too often, so the event could not be imported. Try again.',
  );

/** Target of an import whose iCalUID the calendar does not have. */
export const newTarget = (original: string | undefined, seriesId: string = newId()): ImportTarget => ({
  found: undefined,
  eventId: original === undefined ? newId() : `${seriesId}_${original}`,
});

/** Picks what an import changes from the events of a calendar with its iCalUID. */
export function pickTarget(
  records: readonly EventRecord[],
  calendarId: string,
  original: string | undefined,
): ImportTarget | undefined {
  const main = records.find(({ instance, core }) => !instance && core.recurringEventId === undefined);
  const alone = instancesAlone(records, calendarId);
  if (original === undefined) return main && { found: main, eventId: idOn(calendarId, main) };
  if (main && (isSeries(main) || !isImported(main, calendarId))) {
    const seriesId = idOn(calendarId, main);
    return { found: main, eventId: `${seriesId}_${original}`, seriesId };
  }
  const found = alone.find(({ core }) => toOriginalStart(core.originalStartTime) === original);
  return found
    ? { found, eventId: idOn(calendarId, found) }
    : alone[0] && newTarget(original, alone[0].core.recurringEventId);
}

export const idOn = (calendarId: string, { copies }: EventRecord): string =>
  (copies[calendarId] as EventCopy).id;

/** Instances that are stored without their series and that the calendar shows. */
export const instancesAlone = (records: readonly EventRecord[], calendarId: string): readonly EventRecord[] =>
  records.filter(
    ({ instance, core, copies }) =>
      !instance && core.recurringEventId !== undefined && copies[calendarId]?.state !== 'uninvited',
  );

/** Whether an event was imported on a calendar. */
export const isImported = ({ copies }: EventRecord, calendarId: string): boolean =>
  (copies[calendarId] as EventCopy).imported === true;
