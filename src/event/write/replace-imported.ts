import { definedFields, frozenCopy, mapValues, isSameJson } from '../../core/json.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import { toOriginalStart } from '../../recurrence/original-start.ts';
import { guestReferencesOf, updateCopies } from '../attendees/copies.ts';
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
  nextStamp,
} from '../model/record.ts';

/**
 * Part of a decision: imported events that are replaced, and exceptions that keep the changes of their
 * instances.
 */
type ReplacedImports = Required<Pick<Decision<unknown>, 'replaced' | 'exceptions'>>;

/** Guest, and the imported events on the guest's calendar that are replaced. */
type ReplacedGuestEvents = readonly [guest: string, GuestCalendar];

/**
 * Lets the copies that a change gives to guests replace imported events with the same iCalUID. Their own
 * fields, settings and responses stay, also those of single instances, and the imported events show as
 * cancelled. An imported event of another organizer stays, since anybody can use an iCalUID. `before`: the
 * event before the change; absent for a new one.
 */
export function replaceImported(
  next: EventRecord,
  before: EventRecord | undefined,
  { guests, seriesExceptions }: Pick<ChangeState, 'guests' | 'seriesExceptions'>,
  clock: Clock,
): ReplacedImports & { readonly next: EventRecord } {
  const organizer = next.core.organizer?.email;
  const hasSameOrganizer = ({ core }: EventRecord): boolean =>
    organizer !== undefined && addressKey(core.organizer?.email ?? '') === addressKey(organizer);
  const replacedByGuest = [...guests].flatMap(([guest, guestCalendar]): ReplacedGuestEvents[] => {
    const { calendarId, imported, importedInstances = [] } = guestCalendar;
    const isNewCopy = (before?.copies[calendarId]?.state ?? 'uninvited') === 'uninvited';
    // An event that is imported itself has its copy on the guest's calendar.
    if (!isNewCopy || calendarId === next.homeId || next.copies[calendarId]?.state !== 'present') return [];
    const replacedEvent = imported && hasSameOrganizer(imported) ? imported : undefined;
    const instances = importedInstances.filter((record) =>
      record.instance ? replacedEvent : hasSameOrganizer(record),
    );
    return replacedEvent || instances.length > 0
      ? [[guest, { ...guestCalendar, imported: replacedEvent, importedInstances: instances }]]
      : [];
  });
  if (replacedByGuest.length === 0) return { next, replaced: [], exceptions: [] };
  const copies: Record<string, EventCopy> = { ...next.copies };
  const importedResponses = new Map<string, GuestResponse>();
  for (const [guest, { calendarId, imported }] of replacedByGuest) {
    const importedCopy = imported?.copies[calendarId];
    if (!imported || !importedCopy) continue;
    copies[calendarId] = { ...(copies[calendarId] as EventCopy), ...ownPartOf(importedCopy) };
    importedResponses.set(guest, importedResponseOf(guest, imported, importedCopy));
  }
  const recordWithResponses = frozenCopy(withResponses({ ...next, copies }, importedResponses));
  const instancesWithoutSeries = replacedByGuest.flatMap(([, { importedInstances = [] }]) =>
    importedInstances.filter(({ instance }) => !instance),
  );
  return {
    next: recordWithResponses,
    replaced: [
      ...replacedByGuest.flatMap(([, { imported }]) => imported ?? []),
      ...instancesWithoutSeries,
    ].map((record) => retireRecord(record, clock)),
    exceptions: createKeptExceptions(
      recordWithResponses,
      exceptionsAfterSeriesChange(seriesExceptions, recordWithResponses, before),
      replacedByGuest,
      clock,
    ),
  };
}

/**
 * Creates exceptions of a series that keep what guests changed in instances of the imported events that it
 * replaces.
 */
function createKeptExceptions(
  series: EventRecord,
  followingExceptions: ReturnType<typeof exceptionsAfterSeriesChange>,
  replacedGuestEvents: readonly ReplacedGuestEvents[],
  clock: Clock,
): readonly EventRecord[] {
  const followingByOriginal = new Map(followingExceptions.map(({ next }) => [originalOf(next), next]));
  const keptByOriginal = new Map<string, EventRecord>();
  for (const [guest, { calendarId, imported, importedInstances = [] }] of replacedGuestEvents) {
    for (const record of importedInstances) {
      const original = record.instance ? originalOf(record) : toOriginalStart(record.core.originalStartTime);
      if (original === undefined || !hasOccurrence(series, original)) continue;
      const instance = imported && record.instance ? composeInstance(imported, original, record) : record;
      const copy = instance.copies[calendarId] as EventCopy;
      const exception = keptByOriginal.get(original) ?? followingByOriginal.get(original);
      const before = composeInstance(series, original, exception);
      const newStamp = nextStamp(clock, before);
      const ownCopy = before.copies[calendarId] as EventCopy;
      const instanceWithResponse = withResponses(
        before,
        new Map([[guest, importedResponseOf(guest, instance, copy)]]),
      );
      const next: EventRecord = {
        ...instanceWithResponse,
        ...(!isSameJson(instanceWithResponse.core, before.core) && { coreStamp: newStamp }),
        copies: { ...before.copies, [calendarId]: withChangesOf(copy, ownCopy, newStamp) },
      };
      const isCopyUnchanged = isSameJson(next.copies[calendarId], { ...ownCopy, stamp: newStamp });
      if (isCopyUnchanged && next.core === before.core) continue;
      keptByOriginal.set(original, createException(series, exception, { before, next }));
    }
  }
  return [...keptByOriginal.values()];
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
  const joiningInstances = instances.filter(
    ({ core, copies }) =>
      (copies[calendarId] as EventCopy).imported &&
      isSameJson(series.core.organizer, core.organizer) &&
      hasOccurrence(series, toOriginalStart(core.originalStartTime) as string),
  );
  const joinInstance = (standaloneInstance: EventRecord): EventRecord => {
    const before = composeInstance(
      series,
      toOriginalStart(standaloneInstance.core.originalStartTime) as string,
    );
    const { recurringEventId, originalStartTime, organizer, creator, created, iCalUID } = before.core;
    const newStamp = nextStamp(clock, before);
    const core = definedFields({
      ...standaloneInstance.core,
      ...{ recurringEventId, originalStartTime, organizer, creator, created, iCalUID },
    });
    // The id of a new series is free on all calendars, and so are those of its instances.
    const { id: eventId } = before.copies[calendarId] as EventCopy;
    const references = guestReferencesOf(guests, eventId, () => false);
    const copies = mapValues(
      updateCopies({ ...before, core }, before.core, references, newStamp),
      (copy, id) => {
        const ownCopy = standaloneInstance.copies[id];
        return ownCopy && ownCopy.state !== 'uninvited' ? withChangesOf(ownCopy, copy, newStamp) : copy;
      },
    );
    const instance: InstancePart = { ...(before.instance as InstancePart), imported: true };
    const next = { ...before, core, coreStamp: newStamp, openStamp: newStamp, copies, instance };
    return createException(series, undefined, { before, next });
  };
  return {
    exceptions: joiningInstances.map(joinInstance),
    replaced: joiningInstances.map((joinedInstance) => retireRecord(joinedInstance, clock)),
  };
}

/** Response of a guest to an imported event: declined if the guest removed it. */
const importedResponseOf = (guest: string, { core }: EventRecord, { state }: EventCopy): GuestResponse => ({
  ...responseOf(core.attendees?.find((guestEntry) => attendeeKey(guestEntry) === guest) ?? {}),
  ...(state === 'removed' && { responseStatus: 'declined' as const }),
});

/** Record with these responses of guests; the record itself if it has them already. */
function withResponses(record: EventRecord, responses: ReadonlyMap<string, GuestResponse>): EventRecord {
  const attendees = (record.core.attendees ?? []).map((entry) => ({
    ...entry,
    ...responses.get(attendeeKey(entry) ?? ''),
  }));
  return isSameJson(attendees, record.core.attendees ?? [])
    ? record
    : { ...record, core: { ...record.core, attendees } };
}

/** Copy of an instance with the changes of an imported copy (`sourceCopy`). */
const withChangesOf = (sourceCopy: EventCopy, copy: EventCopy, stamp: Stamp): EventCopy => ({
  ...copy,
  state: sourceCopy.state,
  ...ownPartOf(sourceCopy),
  stamp,
});

/** Fields of a copy that belong to its calendar and its users. */
const ownPartOf = ({ own, viewers }: EventCopy): Pick<EventCopy, 'own' | 'viewers'> => ({
  own,
  ...(viewers && { viewers }),
});

/** Imported event that another one replaces: it shows as cancelled everywhere, and a later import does not find it. */
function retireRecord(record: EventRecord, clock: Clock): EventRecord {
  const stamp = nextStamp(clock, record);
  const copies = mapValues(record.copies, (copy) =>
    copy.state === 'uninvited' ? copy : { ...asMovedCopy(copy, record.core), stamp },
  );
  return { ...record, version: record.version + 1, copies };
}
