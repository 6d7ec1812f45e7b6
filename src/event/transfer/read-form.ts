import type { CalendarRecord } from '../../calendar/calendar.ts';
import { newId } from '../attendees/replicas.ts';
import { noStamp, type EventCopy, type EventParts, type EventRecord, type Stamp } from '../model/record.ts';
import type { SeriesState } from '../event.store.ts';
import type { CopyForm, InstanceForm, Members } from './form.ts';

/**
 * The record that an exported event is of, with its exceptions, as they were before they were stored: the stamps that a
 * file does not name are `noStamp`, all others have the tag that is given.
 */
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
  const id = series.copies[homeId]?.id ?? '';
  return {
    key: newId(),
    version: 1,
    homeId,
    core: form.event ?? {},
    ...stampsOf(form, tag),
    copies: copiesOf(form.copies ?? {}, `${id}_${form.original}`, tag),
    instance: {
      series: { calendarId: homeId, eventId: id },
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

const copiesOf = (
  forms: Readonly<Record<string, CopyForm>>,
  eventId: string,
  tag: string,
): Record<string, EventCopy> =>
  Object.fromEntries(
    Object.entries(forms).map(([calendarId, form]) => [calendarId, copyFrom(form, eventId, tag)]),
  );

function copyFrom(
  { id, state, guest, updated, event, viewers, remains, apart }: CopyForm,
  eventId: string,
  tag: string,
): EventCopy {
  const parts = Object.entries(viewers ?? {}).map(
    ([identity, { updated: at, ...own }]) => [identity, { stamp: stampOf(at, tag), own }] as const,
  );
  return {
    id: id ?? eventId,
    state: state ?? 'present',
    stamp: stampOf(updated, tag),
    ...(guest !== undefined && { guest }),
    own: event ?? {},
    ...(parts.length > 0 && { viewers: Object.fromEntries(parts) }),
    ...(remains && { remains: remains }),
    ...(apart && { apart }),
  };
}
