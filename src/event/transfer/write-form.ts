import type { EventModel } from '../model/model.ts';
import {
  noParts,
  noStamp,
  originalStartOf,
  type EventCopy,
  type EventRecord,
  type Stamp,
} from '../model/record.ts';
import type { CopyForm, InstanceForm } from './form.ts';

/** An event as a file has it: all of a record that is not about a store, with the copies on those calendars that the file has. */
export function formOf(
  record: EventRecord,
  exceptions: readonly EventRecord[],
  model: EventModel,
  isInFile: (calendarId: string) => boolean,
): object {
  const { copies, homeId, coreStamp, openStamp } = record;
  const { [homeId]: home, ...others } = copies;
  const byOriginal = [...exceptions].sort((one, other) =>
    originalStartOf(one) < originalStartOf(other) ? -1 : 1,
  );
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
      Object.fromEntries(
        Object.entries(viewers ?? {}).map(([identity, part]) => [
          identity,
          { ...part.own, updated: part.stamp.at },
        ]),
      ),
    ),
    ...(remains && { remains: remains }),
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
