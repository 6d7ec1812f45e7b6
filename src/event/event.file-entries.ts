import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { renameFieldsDeep } from '../core/fields/coerce.ts';
import { isFields } from '../core/json.ts';
import { reportNullEntries } from '../core/fields/validate.ts';
import { Report } from '../core/report.ts';
import { parseDateTime } from '../core/time/local-time.ts';
import { officialNames } from '../google/api-differences.ts';
import { toStoredGuests } from './attendees/guest-list.ts';
import { signConference } from './conference/create.ts';
import { timeFields } from './draft.ts';
import type { SeriesState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import type { EventBody, EventField } from './model/fields.ts';
import { type EventTime, withOffset } from '../core/time/time.ts';
import { newId } from '../core/ids.ts';
import { timeTools } from '../recurrence/occurrences.ts';
import { nextStamp } from './model/record.ts';
import { checkInstances, checkMembers } from './transfer/check-exported-event.ts';
import { recordFromForm, splitMembers } from './transfer/exported-event.ts';
import { readBody } from './write/check.ts';

/** Entry of an imported file. */
export interface FileEntry {
  /** Issues and warnings, with paths relative to the entry. */
  readonly report: Report;
  /** Absent if the body or its members have issues. */
  readonly content?: EntryContent;
}

/** Event of an entry that fits the field table. */
export interface EntryContent {
  /** The event in stored form, without nulls. */
  readonly body: EventBody;
  readonly event: CompleteEvent;
  /** An exported event with its exceptions; absent for a REST body. */
  readonly exported?: SeriesState;
}

/** Event that can be stored: a body with all values that the server sets. */
export type CompleteEvent = EventBody & { readonly id: string };

/** Reads an entry that no schema has coerced: a REST body, or an event from `exportEvents`. */
export function readFileEntry(entry: unknown, calendar: CalendarRecord, tools: EventTools): FileEntry {
  const { model, clock } = tools;
  const report = new Report();
  const { body: sentBody, members, issues } = splitMembers(entry);
  if (!isFields(sentBody)) {
    report.addIssue([], 'invalid', 'This must be an object with fields.');
    return { report };
  }
  const body = renameFieldsDeep(sentBody, officialNames.EventInput, [], report);
  report.addIssues(issues);
  for (const name of Object.keys(body)) {
    if (!model.fields.has(name as EventField)) report.addIssue([name], 'invalid', 'There is no such field.');
  }
  const event = readBody(body, {
    model,
    zone: calendar.timeZone,
    tools: timeTools,
    mode: 'import',
    path: [],
    report,
    // Only exported events have members.
    isStored: members !== undefined,
  });
  for (const name of ['created', 'updated'] as const) {
    if (event[name] !== undefined && typeof parseDateTime(String(event[name]))?.offset !== 'string') {
      report.addIssue([name], 'invalid', `${name} must be an RFC 3339 time with an offset.`);
    }
  }
  for (const [name, node] of model.fields) reportNullEntries(node, body[name], [name], report);
  if (members) checkMembers(members, calendar.id, model, report);
  if (report.issues.length > 0) return { report };
  const completeEvent = complete(event, calendar, tools, members !== undefined);
  if (!members) return { report, content: { body: event, event: completeEvent } };
  const { id, updated } = completeEvent;
  const parts = { ...model.split(completeEvent), id, updated };
  const exported = recordFromForm(parts, members, calendar, nextStamp(clock).tag);
  checkInstances(exported, model, calendar.timeZone, report);
  return { report, content: { body: event, event: completeEvent, exported } };
}

/** Completes an event with the values that the server sets where the body has none. */
function complete(
  event: EventBody,
  calendar: CalendarRecord,
  { model, signingSecret, clock, links }: EventTools,
  isExported: boolean,
): CompleteEvent {
  const { attendees, conferenceData } = event;
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(event) as EventField[])
    if (model.fields.get(name)?.default !== event[name]) fields[name] = event[name];
  for (const name of timeFields) if (event[name]) fields[name] = withZoneOffset(event[name]);
  const id = event.id ?? newId();
  const owner = { email: calendar.owner };
  // An exported event without a signature was stored without one, and is restored as it was.
  const signature =
    conferenceData &&
    (conferenceData.signature ?? (isExported ? undefined : signConference(conferenceData, signingSecret)));
  return Object.assign(fields as EventBody, {
    ...(attendees && { attendees: toStoredGuests(attendees, model.field('attendees').fields.values()) }),
    ...(conferenceData && {
      conferenceData: signature === undefined ? conferenceData : { ...conferenceData, signature },
    }),
    id,
    created: event.created ?? new Date(clock()).toISOString(),
    creator: withoutSelf(event.creator) ?? owner,
    organizer: withoutSelf(event.organizer) ?? owner,
    iCalUID: event.iCalUID ?? `${id}@${new URL(links.event).hostname}`,
  });
}

/** Adds the offset of its zone to a time that has none. */
const withZoneOffset = (time: EventTime): EventTime =>
  time.dateTime === undefined || time.timeZone === undefined
    ? time
    : { ...time, dateTime: withOffset(time.dateTime, time.timeZone) };

/** Drops `self`, which is computed for each calendar. */
function withoutSelf(person: EventBody['organizer']): EventBody['organizer'] {
  if (!person) return undefined;
  const { self: _self, ...storedPerson } = person;
  return storedPerson;
}
