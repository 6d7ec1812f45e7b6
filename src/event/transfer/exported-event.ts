import { z } from 'zod';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { type Issue, zodIssuesOf } from '../../core/errors.ts';
import { filterFields, isFields, mapValues } from '../../core/json.ts';
import { newId } from '../../core/ids.ts';
import { sortByOriginal } from '../instances/exceptions-after.ts';
import type { SeriesState } from '../event.store.ts';
import type { EventModel } from '../model/model.ts';
import {
  type EventCopy,
  type EventParts,
  type EventRecord,
  emptyParts,
  type InstancePart,
  noStamp,
  homeReference,
  type Stamp,
} from '../model/record.ts';

// Form of events in exported files: the schema of the members that they have in addition to REST bodies, and
// the conversions between records and this form.
const timeSchema = z.iso.datetime({ precision: 3, error: 'This must be a time in UTC with milliseconds.' });
/** Latest change visible to readers from whom guests are hidden; null: never. Absent: same as `updated`. */
const openUpdatedSchema = timeSchema.nullable().optional();
const fieldsSchema = z.record(z.string(), z.unknown());

const copySchema = z.strictObject({
  /** Event id there; absent on the home calendar, where the body has it. */
  id: z.string().min(1).optional(),
  /** Absent means present. */
  state: z.enum(['removed', 'uninvited']).optional(),
  /** Guest who owns the copy; absent on the home calendar. */
  guest: z.string().min(1).optional(),
  /** Absent means never changed individually. */
  updated: timeSchema.optional(),
  /** Fields of this copy; absent on the home calendar, where the body has them. */
  event: fieldsSchema.optional(),
  /** User settings with the time of their latest change, by identity. */
  viewers: z.record(z.string(), z.looseObject({ updated: timeSchema })).optional(),
  /** Tombstone of an uninvited copy. */
  remains: fieldsSchema.optional(),
  /** Mark of a detached instance. */
  apart: z.literal(true).optional(),
  /** Mark of a calendar from which the event was moved. */
  moved: z.literal(true).optional(),
  /** Mark of an event that an import created. */
  imported: z.literal(true).optional(),
});

const copiesSchema = z.record(z.string(), copySchema);

const instanceSchema = z.strictObject({
  original: z
    .string()
    .regex(/^\d{8}(?:T\d{6}Z)?$/, 'This must be an original start: yyyymmdd, or yyyymmddThhmmssZ.'),
  updated: timeSchema.optional(),
  openUpdated: openUpdatedSchema,
  /** JSON merge patch (RFC 7396) over the core of the series. */
  event: fieldsSchema.optional(),
  /** Responses to this instance alone, by guest. */
  answers: z.record(z.string(), fieldsSchema).optional(),
  /** Mark of an exception that was reset. */
  emptied: z.literal(true).optional(),
  /** Mark of a change that an import brought. */
  imported: z.literal(true).optional(),
  /** Guests to whom the instance stays an exception, because they once saw a difference. */
  staysFor: z.array(z.string().min(1)).optional(),
  copies: copiesSchema.optional(),
});

/** Members that an exported event has in addition to the fields of a REST body. */
const membersSchema = z.object({
  copies: copiesSchema,
  openUpdated: openUpdatedSchema,
  instances: z.array(instanceSchema).optional(),
});

export type CopyForm = z.infer<typeof copySchema>;
type InstanceForm = z.infer<typeof instanceSchema>;
export type ExportMembers = z.infer<typeof membersSchema>;

/** Splits the members from the body of an exported event, which a plain REST body lacks (`copies`). No members if one is invalid. */
export function splitMembers(entry: unknown): {
  readonly body: unknown;
  readonly members?: ExportMembers;
  readonly issues: readonly Issue[];
} {
  if (!isFields(entry) || entry.copies === undefined) return { body: entry, issues: [] };
  const { copies: _copies, openUpdated: _openUpdated, instances: _instances, ...body } = entry;
  const issues = [...zodIssuesOf(membersSchema, entry), ...forbiddenNameIssues(entry)];
  return { body, issues, ...(issues.length === 0 && { members: membersSchema.parse(entry) }) };
}

/** Name of an entry that the schema would skip silently. */
const forbiddenName = '__proto__';

function forbiddenNameIssues({ copies: sentCopies, instances }: Readonly<Record<string, unknown>>): Issue[] {
  const nameIssues = (value: unknown, path: Issue['path']): Issue[] =>
    isFields(value) && Object.hasOwn(value, forbiddenName)
      ? [
          {
            path: [...path, forbiddenName],
            reason: 'invalid',
            message: `${forbiddenName} cannot be the name of an entry.`,
          },
        ]
      : [];
  const copyIssues = (value: unknown, path: Issue['path']): Issue[] => [
    ...nameIssues(value, path),
    ...Object.entries(isFields(value) ? value : {}).flatMap(([id, form]) =>
      nameIssues(isFields(form) ? form.viewers : undefined, [...path, id, 'viewers']),
    ),
  ];
  const instanceIssues = (Array.isArray(instances) ? instances : []).flatMap((form: unknown, index) =>
    copyIssues(isFields(form) ? form.copies : undefined, ['instances', index, 'copies']),
  );
  return [...copyIssues(sentCopies, ['copies']), ...instanceIssues];
}

/** Creates the record of an exported event and its exceptions. Stamps have the given tag, or are `noStamp` if the file has none. */
export function recordFromForm(
  parts: EventParts & { readonly id: string; readonly updated: string | undefined },
  members: ExportMembers,
  calendar: CalendarRecord,
  tag: string,
): SeriesState {
  const { id, updated, core, copy } = parts;
  const copies = copiesFromForms(members.copies, id, tag);
  const record: EventRecord = {
    key: newId(),
    version: 1,
    homeId: calendar.id,
    core,
    ...coreStampsOf({ updated, openUpdated: members.openUpdated }, tag),
    copies: {
      ...copies,
      [calendar.id]: { state: 'present', stamp: noStamp, ...copies[calendar.id], id, own: copy },
    },
  };
  return {
    record,
    exceptions: (members.instances ?? []).map((form) => exceptionFromForm(form, record, tag)),
  };
}

function exceptionFromForm(
  { original, updated, openUpdated, event = {}, answers = {}, copies = {}, ...marks }: InstanceForm,
  series: EventRecord,
  tag: string,
): EventRecord {
  const seriesReference = homeReference(series);
  return {
    key: newId(),
    version: 1,
    homeId: series.homeId,
    core: event,
    ...coreStampsOf({ updated, openUpdated }, tag),
    copies: copiesFromForms(copies, `${seriesReference.eventId}_${original}`, tag),
    instance: { series: seriesReference, original, ...marks, answers },
  };
}

/** Stamp with a time of the file; `noStamp` if the part was never changed individually. */
const stampOf = (at: string | undefined, tag: string): Stamp =>
  at === undefined ? noStamp : { tag, at: new Date(at).toISOString() };

function coreStampsOf(
  { updated, openUpdated }: Pick<InstanceForm, 'updated' | 'openUpdated'>,
  tag: string,
): Pick<EventRecord, 'coreStamp' | 'openStamp'> {
  const coreStamp = stampOf(updated, tag);
  return {
    coreStamp,
    openStamp:
      openUpdated === undefined ? coreStamp : openUpdated === null ? noStamp : stampOf(openUpdated, tag),
  };
}

const copiesFromForms = (
  forms: Readonly<Record<string, CopyForm>>,
  eventId: string,
  tag: string,
): Record<string, EventCopy> => mapValues(forms, (form) => copyFromForm(form, eventId, tag));

function copyFromForm(
  { id, state, updated, event, viewers, ...marks }: CopyForm,
  eventId: string,
  tag: string,
): EventCopy {
  const viewerParts = mapValues(viewers ?? {}, ({ updated: at, ...own }) => ({
    stamp: stampOf(at, tag),
    own,
  }));
  return {
    id: id ?? eventId,
    state: state ?? 'present',
    stamp: stampOf(updated, tag),
    own: event ?? {},
    ...memberIfFilled('viewers', viewerParts),
    ...marks,
  };
}

/** Exports an event: the record without store data, with its copies on the file's calendars. */
export function createExportForm(
  record: EventRecord,
  exceptions: readonly EventRecord[],
  model: EventModel,
  isInFile: (calendarId: string) => boolean,
): object {
  const { copies, homeId, coreStamp, openStamp } = record;
  const { [homeId]: homeCopy, ...otherCopies } = copies;
  const sortedExceptions = sortByOriginal(exceptions);
  return {
    ...bodyOf(record, model),
    id: homeCopy?.id,
    updated: coreStamp.at,
    ...openUpdatedOf(coreStamp, openStamp),
    copies: {
      ...(homeCopy && { [homeId]: { ...formOfCopy(homeCopy), id: undefined, event: undefined } }),
      ...formsOfCopies(otherCopies, isInFile),
    },
    ...(sortedExceptions.length > 0 && {
      instances: sortedExceptions.map((exception) => formOfException(exception, isInFile)),
    }),
  };
}

function bodyOf({ core, copies, homeId }: EventRecord, model: EventModel): object {
  const event = model.joinParts({ ...emptyParts, core, copy: copies[homeId]?.own ?? {} });
  return Object.fromEntries([...model.fields.keys()].map((name) => [name, event[name]]));
}

function formOfException(
  { core, coreStamp, openStamp, copies, instance }: EventRecord,
  isInFile: (calendarId: string) => boolean,
): InstanceForm {
  const { series: _series, original, answers, staysFor, ...marks } = instance as InstancePart;
  return {
    original,
    ...updatedOf(coreStamp),
    ...openUpdatedOf(coreStamp, openStamp),
    ...memberIfFilled('event', core as Record<string, unknown>),
    ...memberIfFilled('answers', answers),
    ...marks,
    ...(staysFor && { staysFor: [...staysFor] }),
    ...memberIfFilled('copies', formsOfCopies(copies, isInFile)),
  };
}

const formsOfCopies = (
  copies: EventRecord['copies'],
  isInFile: (calendarId: string) => boolean,
): Record<string, CopyForm> =>
  mapValues(
    filterFields(copies, (_copy, calendarId) => isInFile(calendarId)),
    formOfCopy,
  );

function formOfCopy({ id, state, stamp, own, viewers, ...marks }: EventCopy): CopyForm {
  return {
    id,
    ...(state !== 'present' && { state }),
    ...updatedOf(stamp),
    ...memberIfFilled('event', own as Record<string, unknown>),
    ...memberIfFilled(
      'viewers',
      mapValues(viewers ?? {}, (part) => ({ ...part.own, updated: part.stamp.at })),
    ),
    ...marks,
  };
}

const updatedOf = ({ tag, at }: Stamp): { readonly updated?: string } =>
  tag === noStamp.tag ? {} : { updated: at };

/** Omits `openUpdated` if it equals `updated`. */
function openUpdatedOf(coreStamp: Stamp, openStamp: Stamp): Pick<InstanceForm, 'openUpdated'> {
  if (openStamp.tag === noStamp.tag) return coreStamp.tag === noStamp.tag ? {} : { openUpdated: null };
  return coreStamp.tag !== noStamp.tag && coreStamp.at === openStamp.at ? {} : { openUpdated: openStamp.at };
}

/** Object with one member; empty if the value of that member has no entries. */
const memberIfFilled = <Name extends string, T extends object>(
  name: Name,
  value: T,
): { readonly [name in Name]?: T } =>
  (Object.keys(value).length > 0 ? { [name]: value } : {}) as { readonly [name in Name]?: T };
