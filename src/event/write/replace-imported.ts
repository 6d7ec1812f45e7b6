import { definedFields, frozenCopy, mapValues, isSameJson } from '../../core/patch.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { guestReferencesOf, updateCopies } from '../attendees/replicas.ts';
import type { ChangeState, Decision, GuestCalendar } from '../event.store.ts';
import { composeInstance, hasOccurrence } from '../instances/compose.ts';
import { createException } from '../instances/exception.ts';
import { exceptionsAfterSeriesChange } from '../instances/exceptions-after.ts';
import { responseOf } from '../instances/instance-guests.ts';
import { attendeeKey } from '../model/fields.ts';
import {
  type GuestResponse,
  asMovedCopy,
  type EventCopy,
  type EventRecord,
  type InstancePart,
  originalStartOf as originalOf,
  type Stamp,
} from '../model/record.ts';
import { nextStamp } from './stamp.ts';

/** Part of a decision: imported events that another one replaces, and its exceptions that keep changes of single instances. */
type ReplacedImports = Required<Pick<Decision<unknown>, 'replaced' | 'exceptions'>>;

type Replaced = readonly [guest: string, GuestCalendar];

/**
 * Lets the copies that a change gives to guests replace imported ones of the same event: own fields, settings and answers stay,
 * those of single instances too, and the imported event shows as cancelled. An imported event of another organizer stays, since
 * an iCalUID can be anybody's. `before`: the event before the change; absent for a new one.
 */
export function replaceImported(
  next: EventRecord,
  before: EventRecord | undefined,
  { guests, seriesExceptions }: Pick<ChangeState, 'guests' | 'seriesExceptions'>,
  clock: Clock,
): ReplacedImports & { readonly next: EventRecord } {
  const organizer = next.core.organizer?.email;
  const isReplaced = ({ core }: EventRecord): boolean =>
    organizer !== undefined && addressKey(core.organizer?.email ?? '') === addressKey(organizer);
  const replaced = [...guests].flatMap(([guest, guestCalendar]): Replaced[] => {
    const { calendarId, imported, importedInstances = [] } = guestCalendar;
    const isNew = (before?.copies[calendarId]?.state ?? 'uninvited') === 'uninvited';
    // An event that is imported itself has its copy on the guest's calendar.
    if (!isNew || calendarId === next.homeId || next.copies[calendarId]?.state !== 'present') return [];
    const replacedEvent = imported && isReplaced(imported) ? imported : undefined;
    const instances = importedInstances.filter((record) =>
      record.instance ? replacedEvent : isReplaced(record),
    );
    return replacedEvent || instances.length > 0
      ? [[guest, { ...guestCalendar, imported: replacedEvent, importedInstances: instances }]]
      : [];
  });
  if (replaced.length === 0) return { next, replaced: [], exceptions: [] };
  const copies: Record<string, EventCopy> = { ...next.copies };
  const answers = new Map<string, GuestResponse>();
  for (const [guest, { calendarId, imported }] of replaced) {
    const importedCopy = imported?.copies[calendarId];
    if (!imported || !importedCopy) continue;
    copies[calendarId] = { ...(copies[calendarId] as EventCopy), ...ownPartOf(importedCopy) };
    answers.set(guest, keptAnswer(guest, imported, importedCopy));
  }
  const changed = frozenCopy(withAnswers({ ...next, copies }, answers));
  const alone = replaced.flatMap(([, { importedInstances = [] }]) =>
    importedInstances.filter(({ instance }) => !instance),
  );
  return {
    next: changed,
    replaced: [...replaced.flatMap(([, { imported }]) => imported ?? []), ...alone].map((record) =>
      retire(record, clock),
    ),
    exceptions: keepInstances(
      changed,
      exceptionsAfterSeriesChange(seriesExceptions, changed, before),
      replaced,
      clock,
    ),
  };
}

/** Exceptions of a series that keep what guests did to instances of the imported events that it replaces. */
function keepInstances(
  series: EventRecord,
  followed: ReturnType<typeof exceptionsAfterSeriesChange>,
  replaced: readonly Replaced[],
  clock: Clock,
): readonly EventRecord[] {
  const followedByOriginal = new Map(followed.map(({ next }) => [originalOf(next), next]));
  const kept = new Map<string, EventRecord>();
  for (const [guest, { calendarId, imported, importedInstances = [] }] of replaced) {
    for (const record of importedInstances) {
      const original = record.instance ? originalOf(record) : toOriginalStart(record.core.originalStartTime);
      if (original === undefined || !hasOccurrence(series, original)) continue;
      const instance = imported && record.instance ? composeInstance(imported, original, record) : record;
      const copy = instance.copies[calendarId] as EventCopy;
      const exception = kept.get(original) ?? followedByOriginal.get(original);
      const before = composeInstance(series, original, exception);
      const newStamp = nextStamp(clock, before);
      const ownCopy = before.copies[calendarId] as EventCopy;
      const answered = withAnswers(before, new Map([[guest, keptAnswer(guest, instance, copy)]]));
      const next: EventRecord = {
        ...answered,
        ...(!isSameJson(answered.core, before.core) && { coreStamp: newStamp }),
        copies: { ...before.copies, [calendarId]: withChangesOf(copy, ownCopy, newStamp) },
      };
      const isSame = isSameJson(next.copies[calendarId], { ...ownCopy, stamp: newStamp });
      if (isSame && next.core === before.core) continue;
      kept.set(original, createException(series, exception, { before, next, invitesUnseenGuest: false }));
    }
  }
  return [...kept.values()];
}

/**
 * Lets instances that were imported on a calendar before their series become instances of the new series: exceptions replace
 * them. Those of another organizer, or without an occurrence of the series, stay.
 */
export function joinInstances(
  series: EventRecord,
  instances: readonly EventRecord[],
  calendarId: string,
  guests: ChangeState['guests'],
  clock: Clock,
): ReplacedImports {
  const joining = instances.filter(
    ({ core, copies }) =>
      (copies[calendarId] as EventCopy).imported &&
      isSameJson(series.core.organizer, core.organizer) &&
      hasOccurrence(series, toOriginalStart(core.originalStartTime) as string),
  );
  const joinInstance = (alone: EventRecord): EventRecord => {
    const before = composeInstance(series, toOriginalStart(alone.core.originalStartTime) as string);
    const { recurringEventId, originalStartTime, organizer, creator, created, iCalUID } = before.core;
    const newStamp = nextStamp(clock, before);
    const core = definedFields({
      ...alone.core,
      ...{ recurringEventId, originalStartTime, organizer, creator, created, iCalUID },
    });
    // The id of a new series is free on all calendars, and so are those of its instances.
    const { id: eventId } = before.copies[calendarId] as EventCopy;
    const references = guestReferencesOf(guests, eventId, () => false);
    const copies = mapValues(
      updateCopies({ ...before, core }, before.core, references, newStamp),
      (copy, id) => {
        const ownCopy = alone.copies[id];
        return ownCopy && ownCopy.state !== 'uninvited' ? withChangesOf(ownCopy, copy, newStamp) : copy;
      },
    );
    const instance: InstancePart = { ...(before.instance as InstancePart), imported: true };
    const next = { ...before, core, coreStamp: newStamp, openStamp: newStamp, copies, instance };
    return createException(series, undefined, { before, next, invitesUnseenGuest: false });
  };
  return { exceptions: joining.map(joinInstance), replaced: joining.map((alone) => retire(alone, clock)) };
}

/** Answer of a guest to an imported event, which is declined if the guest removed it. */
const keptAnswer = (guest: string, { core }: EventRecord, { state }: EventCopy): GuestResponse => ({
  ...responseOf(core.attendees?.find((listed) => attendeeKey(listed) === guest) ?? {}),
  ...(state === 'removed' && { responseStatus: 'declined' as const }),
});

/** Record with these answers of guests; itself if it has them. */
function withAnswers(record: EventRecord, answers: ReadonlyMap<string, GuestResponse>): EventRecord {
  const attendees = (record.core.attendees ?? []).map((entry) => ({
    ...entry,
    ...answers.get(attendeeKey(entry) ?? ''),
  }));
  return isSameJson(attendees, record.core.attendees ?? [])
    ? record
    : { ...record, core: { ...record.core, attendees } };
}

/** Copy of an instance that takes what an imported copy of it changed. */
const withChangesOf = (imported: EventCopy, copy: EventCopy, stamp: Stamp): EventCopy => ({
  ...copy,
  state: imported.state,
  ...ownPartOf(imported),
  stamp,
});

/** Fields of a copy that belong to its calendar and its users. */
const ownPartOf = ({ own, viewers }: EventCopy): Pick<EventCopy, 'own' | 'viewers'> => ({
  own,
  ...(viewers && { viewers }),
});

/** Imported event that another one replaces: it shows as cancelled everywhere, and a later import does not find it. */
function retire(record: EventRecord, clock: Clock): EventRecord {
  const stamp = nextStamp(clock, record);
  const copies = mapValues(record.copies, (copy) =>
    copy.state === 'uninvited' ? copy : { ...asMovedCopy(copy, record.core), stamp },
  );
  return { ...record, version: record.version + 1, copies };
}
