import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { Report } from '../../core/report.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredSpelling } from '../../core/time/time.ts';
import { timeTools } from '../../recurrence/occurrences.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import type { EventBody, EventPatch } from '../model/fields.ts';
import type { EventModel } from '../model/model.ts';
import type { EventCopy, EventRecord } from '../model/record.ts';
import { readBody } from './check.ts';
import { createBlankRecord } from './create.ts';

/** Body of an import: what a new event takes from it, and what only an import takes. */
export interface ImportBody {
  /** Fields that a new event would take too. */
  readonly body: EventPatch;
  /** Fields that are read-only otherwise and that an import takes from the body, in stored form. */
  readonly readOnlyFields: Pick<EventBody, 'created' | 'organizer' | 'originalStartTime'>;
  /** Original start, if the body is an instance. */
  readonly originalStart: string | undefined;
  /** The organizer is somebody other than the calendar's owner. */
  readonly isForeign: boolean;
  readonly report: Report;
}

/** Reads the body of an import, with the issues and warnings of the fields that only an import takes. */
export function readImportBody(
  sentBody: EventPatch,
  calendar: CalendarRecord,
  model: EventModel,
): ImportBody {
  const report = new Report();
  const { id, recurringEventId, originalStartTime, organizer, created, privateCopy, ...fields } = sentBody;
  const warnIgnored = (name: 'id' | 'recurringEventId', message: string): void =>
    report.warn(['event', name], 'ignored', message);
  if ((id ?? null) !== null) warnIgnored('id', 'An imported event gets a new id: your value was ignored.');
  const hasOriginal = (originalStartTime ?? null) !== null;
  if ((recurringEventId ?? null) !== null) {
    if (hasOriginal)
      warnIgnored('recurringEventId', 'The series is found by the iCalUID: your value was ignored.');
    else
      report.addIssue(
        ['event', 'originalStartTime'],
        'required',
        'The originalStartTime is required for an instance: its start in the recurring event.',
      );
  }
  if ((sentBody.iCalUID ?? null) === null)
    report.addIssue(
      ['event', 'iCalUID'],
      'required',
      'The iCalUID is required: a later import finds the event by it.',
    );
  const readOnlyFields: ImportBody['readOnlyFields'] = readBody(
    {
      organizer: pickOrganizerFields(organizer),
      originalStartTime: toStoredSpelling(originalStartTime, undefined, calendar.timeZone),
      created,
    },
    { model, zone: calendar.timeZone, tools: timeTools, mode: 'part', path: ['event'], report },
  );
  const originalStart = hasOriginal ? toOriginalStart(originalStartTime) : undefined;
  if (hasOriginal && originalStart === undefined && report.issues.length === 0)
    report.addIssue(
      ['event', 'originalStartTime'],
      'invalid',
      'The originalStartTime must be a day, or a time with an offset or a timeZone.',
    );
  const organizerAddress = readOnlyFields.organizer?.email;
  const isForeign =
    organizerAddress !== undefined && addressKey(organizerAddress) !== addressKey(calendar.owner);
  if (isForeign && privateCopy)
    report.warn(['event', 'privateCopy'], 'ignored', 'An event of somebody else cannot be a private copy.');
  const body = isForeign || privateCopy === undefined ? fields : { ...fields, privateCopy };
  return { body, readOnlyFields, originalStart, isForeign, report };
}

/**
 * Picks the fields of an organizer that an import stores. An organizer without an address cannot be stored.
 */
function pickOrganizerFields(person: EventPatch['organizer']): EventPatch['organizer'] {
  if (!person || (person.email ?? null) === null) return undefined;
  const { email, displayName, id } = person;
  return { email, displayName, id };
}

/** Creates the record of an imported event without its body. A foreign event has a guest's copy only. */
export function createBlankImport(
  { readOnlyFields, originalStart, isForeign }: ImportBody,
  id: string,
  calendar: CalendarRecord,
  viewer: Parameters<typeof createBlankRecord>[2],
): EventRecord {
  const blankRecord = createBlankRecord(id, calendar, viewer);
  const copy = blankRecord.copies[calendar.id] as EventCopy;
  const { created, organizer, originalStartTime } = readOnlyFields;
  return {
    ...blankRecord,
    core: {
      ...blankRecord.core,
      organizer: { ...organizer, email: isForeign ? organizer?.email : calendar.owner },
      ...(created !== undefined && { created: toUtcTime(created) }),
      ...(originalStart !== undefined && {
        originalStartTime,
        recurringEventId: id.slice(0, -(originalStart.length + 1)),
      }),
    },
    copies: {
      [calendar.id]: { ...copy, imported: true, ...(isForeign && { guest: addressKey(calendar.owner) }) },
    },
  };
}

/** Converts an RFC 3339 time, which the schema has checked, to UTC. */
export const toUtcTime = (time: string): string => new Date(time).toISOString();
