import { z } from 'zod';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import { type Issue, issuesOf } from '../../core/errors.ts';
import { isFields } from '../../core/patch.ts';
import { newId } from '../attendees/replicas.ts';
import { inOriginalOrder } from '../instances/exceptions-after.ts';
import type { SeriesState } from '../event.store.ts';
import type { EventModel } from '../model/model.ts';
import {
  type EventCopy,
  type EventParts,
  type EventRecord,
  noParts,
  noStamp,
  homeReference,
  type Stamp,
} from '../model/record.ts';

const time = z.iso.datetime({ precision: 3, error: 'This must be a time in UTC with milliseconds.' });
/** When it last changed for those from whom guests are hidden; null: never. Absent: when it changed for the others. */
const openUpdated = time.nullable().optional();
const fields = z.record(z.string(), z.unknown());

/** What one calendar keeps of an event. */
const copy = z.strictObject({
  /** The event's id there; absent on the calendar that the event stands under, as its body says it. */
  id: z.string().min(1).optional(),
  /** Absent: present. */
  state: z.enum(['removed', 'uninvited']).optional(),
  /** Whose copy it is; absent on the calendar on which the event was made. */
  guest: z.string().min(1).optional(),
  /** Absent: never changed by itself. */
  updated: time.optional(),
  /** Fields of this copy; under their own calendar those of an event stand in its body. */
  event: fields.optional(),
  /** By identity what users keep for themselves, and since when. */
  viewers: z.record(z.string(), z.looseObject({ updated: time })).optional(),
  /** Of an uninvited copy. */
  remains: fields.optional(),
  /** Of an instance: its guest is off the series, and was invited to it. */
  apart: z.literal(true).optional(),
});

const copies = z.record(z.string(), copy);

/** An occurrence that was changed: what it changes, over its series. */
const instance = z.strictObject({
  original: z
    .string()
    .regex(/^\d{8}(?:T\d{6}Z)?$/, 'This must be an original start: yyyymmdd, or yyyymmddThhmmssZ.'),
  updated: time.optional(),
  openUpdated,
  /** A merge patch (RFC 7396) over what all share of the series. */
  event: fields.optional(),
  /** Answers to it alone. */
  answers: z.record(z.string(), fields).optional(),
  emptied: z.literal(true).optional(),
  /** Guests for whom it stays an exception, though they see no change of it any more. */
  staysFor: z.array(z.string().min(1)).optional(),
  copies: copies.optional(),
});

/** What an exported event has beside the fields of a REST body. */
const members = z.object({ copies, openUpdated, instances: z.array(instance).optional() });

export type CopyForm = z.infer<typeof copy>;
type InstanceForm = z.infer<typeof instance>;
export type Members = z.infer<typeof members>;

/** A body of a file taken apart; plain REST bodies have no members. */
interface Taken {
  readonly body: unknown;
  readonly members?: Members;
  readonly issues: readonly Issue[];
}

/** Tells an exported event, which has `copies`, from a plain REST body, and the members from the body. */
export function takeApart(entry: unknown): Taken {
  if (!isFields(entry) || entry.copies === undefined) return { body: entry, issues: [] };
  const { copies: _copies, openUpdated: _openUpdated, instances: _instances, ...body } = entry;
  const issues = [...issuesOf(members, entry), ...unusableNames(entry)];
  return { body, issues, ...(issues.length === 0 && { members: members.parse(entry) }) };
}

/** The form passes over entries of this name. */
const unusable = '__proto__';

/** Where copies, or users, stand under a name that no object can have. */
function unusableNames({ copies: own, instances }: Readonly<Record<string, unknown>>): Issue[] {
  const namesIn = (value: unknown, path: Issue['path']): Issue[] =>
    isFields(value) && Object.hasOwn(value, unusable)
      ? [
          {
            path: [...path, unusable],
            reason: 'invalid',
            message: `${unusable} cannot be the name of an entry.`,
          },
        ]
      : [];
  const inCopies = (value: unknown, path: Issue['path']): Issue[] => [
    ...namesIn(value, path),
    ...Object.entries(isFields(value) ? value : {}).flatMap(([id, form]) =>
      namesIn(isFields(form) ? form.viewers : undefined, [...path, id, 'viewers']),
    ),
  ];
  const ofInstances = (Array.isArray(instances) ? instances : []).flatMap((one: unknown, index) =>
    inCopies(isFields(one) ? one.copies : undefined, ['instances', index, 'copies']),
  );
  return [...inCopies(own, ['copies']), ...ofInstances];
}

/** The record of an exported event, with its exceptions: stamps have the given tag, or are `noStamp` where the file names none. */
export function recordOf(
  parts: EventParts & { readonly id: string; readonly updated: string | undefined },
  members: Members,
  calendar: CalendarRecord,
  tag: string,
): SeriesState {
  const { id, updated, core, copy } = parts;
  const copies = copiesOf(members.copies, id, tag);
  const home: EventCopy = copies[calendar.id] ?? { id, state: 'present', stamp: noStamp, own: {} };
  const record: EventRecord = {
    key: newId(),
    version: 1,
    homeId: calendar.id,
    core,
    ...stampsOf({ updated, openUpdated: members.openUpdated }, tag),
    copies: { ...copies, [calendar.id]: { ...home, id, own: copy } },
  };
  return { record, exceptions: (members.instances ?? []).map((one) => exceptionFrom(one, record, tag)) };
}

function exceptionFrom(form: InstanceForm, series: EventRecord, tag: string): EventRecord {
  const { homeId } = series;
  const home = homeReference(series);
  return {
    key: newId(),
    version: 1,
    homeId,
    core: form.event ?? {},
    ...stampsOf(form, tag),
    copies: copiesOf(form.copies ?? {}, `${home.eventId}_${form.original}`, tag),
    instance: {
      series: home,
      original: form.original,
      ...(form.emptied && { emptied: form.emptied }),
      ...(form.staysFor && { staysFor: form.staysFor }),
      answers: form.answers ?? {},
    },
  };
}

const stampOf = (at: string | undefined, tag: string): Stamp =>
  at === undefined ? noStamp : { tag, at: new Date(at).toISOString() };

function stampsOf(
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

export const mapValues = <From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));

const copiesOf = (
  forms: Readonly<Record<string, CopyForm>>,
  eventId: string,
  tag: string,
): Record<string, EventCopy> => mapValues(forms, (form) => copyFrom(form, eventId, tag));

function copyFrom(
  { id, state, guest, updated, event, viewers, remains, apart }: CopyForm,
  eventId: string,
  tag: string,
): EventCopy {
  const parts = mapValues(viewers ?? {}, ({ updated: at, ...own }) => ({ stamp: stampOf(at, tag), own }));
  return {
    id: id ?? eventId,
    state: state ?? 'present',
    stamp: stampOf(updated, tag),
    ...(guest !== undefined && { guest }),
    own: event ?? {},
    ...filled('viewers', parts),
    ...(remains && { remains }),
    ...(apart && { apart }),
  };
}

/** An event as a file has it: all of a record that is not about a store, with the copies on those calendars that the file has. */
export function formOf(
  record: EventRecord,
  exceptions: readonly EventRecord[],
  model: EventModel,
  isInFile: (calendarId: string) => boolean,
): object {
  const { copies, homeId, coreStamp, openStamp } = record;
  const { [homeId]: home, ...others } = copies;
  const byOriginal = inOriginalOrder(exceptions);
  return {
    ...bodyOf(record, model),
    id: home?.id,
    updated: coreStamp.at,
    ...openOf(coreStamp, openStamp),
    copies: {
      ...(home && { [homeId]: { ...copyForm(home), id: undefined, event: undefined } }),
      ...copiesForm(others, isInFile),
    },
    ...(byOriginal.length > 0 && { instances: byOriginal.map((one) => instanceForm(one, isInFile)) }),
  };
}

/** The fields of a record on its home calendar. */
function bodyOf({ core, copies, homeId }: EventRecord, model: EventModel): object {
  const whole = model.whole({ ...noParts, core, copy: copies[homeId]?.own ?? {} });
  return Object.fromEntries([...model.fields.keys()].map((name) => [name, whole[name]]));
}

function instanceForm(
  { core, coreStamp, openStamp, copies, instance }: EventRecord,
  isInFile: (calendarId: string) => boolean,
): InstanceForm {
  return {
    original: instance?.original ?? '',
    ...updatedOf(coreStamp),
    ...openOf(coreStamp, openStamp),
    ...filled('event', core as Record<string, unknown>),
    ...filled('answers', instance?.answers ?? {}),
    ...(instance?.emptied && { emptied: true as const }),
    ...(instance?.staysFor && { staysFor: [...instance.staysFor] }),
    ...filled('copies', copiesForm(copies, isInFile)),
  };
}

const copiesForm = (
  copies: EventRecord['copies'],
  isInFile: (calendarId: string) => boolean,
): Record<string, CopyForm> =>
  Object.fromEntries(
    Object.entries(copies)
      .filter(([calendarId]) => isInFile(calendarId))
      .map(([calendarId, copy]) => [calendarId, copyForm(copy)]),
  );

function copyForm({ id, state, guest, stamp, own, viewers, remains, apart }: EventCopy): CopyForm {
  return {
    id,
    ...(state !== 'present' && { state }),
    ...(guest !== undefined && { guest }),
    ...updatedOf(stamp),
    ...filled('event', own as Record<string, unknown>),
    ...filled(
      'viewers',
      mapValues(viewers ?? {}, (part) => ({ ...part.own, updated: part.stamp.at })),
    ),
    ...(remains && { remains }),
    ...(apart && { apart }),
  };
}

const updatedOf = ({ tag, at }: Stamp): { readonly updated?: string } =>
  tag === noStamp.tag ? {} : { updated: at };

/** Absent: as what all share. */
function openOf(core: Stamp, open: Stamp): Pick<InstanceForm, 'openUpdated'> {
  if (open.tag === noStamp.tag) return core.tag === noStamp.tag ? {} : { openUpdated: null };
  return core.tag !== noStamp.tag && core.at === open.at ? {} : { openUpdated: open.at };
}

const filled = <Name extends string, T extends object>(
  name: Name,
  value: T,
): { readonly [name in Name]?: T } =>
  (Object.keys(value).length > 0 ? { [name]: value } : {}) as { readonly [name in Name]?: T };
