import type { EventJson } from '../event/event.harness.ts';
import { callers } from './cast.ts';
import type { Snapshot } from './plain-list.ts';
import type { Caller } from './references.ts';
import type { World } from './worlds.ts';

/** Maximum number of root fields in a request. */
const maxRootFields = 100;
/** Fields that lists filter by, and fields that show how much is visible. */
const eventFields = `id status etag updated recurringEventId iCalUID summary description location visibility recurrence
  start { date dateTime } end { date dateTime } attendees { email displayName } extendedProperties { private shared }`;

/** Every original start that series of these tests may have until 27 December 2026, and the first one in later months. */
const possibleOriginalStarts = [
  ...Array.from({ length: 27 }, (_, index) => `202612${String(index + 1).padStart(2, '0')}`),
  '20270105',
  '20270202',
].flatMap((day) => [day, ...['09', '13', '15', '19'].map((hour) => `${day}T${hour}0000Z`)]);
/** Occurrences before this time are all among the possible original starts. */
export const snapshotEnd = '2026-12-20T20:00:00Z';

/** Reads events by their IDs, and returns those that the caller sees. */
async function readVisibleEvents(world: World, caller: Caller, ids: readonly string[]): Promise<EventJson[]> {
  const events = await sendFieldForEach(
    world,
    caller,
    ids,
    (idArgs) => `event(${idArgs}) { ...all }`,
    (fields) => `query ($calendarId: String!) { ${fields} } fragment all on Event { ${eventFields} }`,
  );
  return events.filter((event) => event !== null);
}

/** Sends a root field for each ID, up to the maximum in a request, and returns their values. */
async function sendFieldForEach(
  world: World,
  { as, calendarId }: Caller,
  ids: readonly string[],
  fieldOf: (idArgs: string) => string,
  documentOf: (fields: string) => string,
): Promise<EventJson[]> {
  const values: EventJson[] = [];
  for (let offset = 0; offset < ids.length; offset += maxRootFields) {
    const fields = ids
      .slice(offset, offset + maxRootFields)
      .map((id, index) => `e${index}: ${fieldOf(`calendarId: $calendarId, eventId: ${JSON.stringify(id)}`)}`);
    const { data } = await world.sendDocument(as, documentOf(fields.join(' ')), { calendarId });
    values.push(...Object.values(data as Record<string, EventJson>));
  }
  return values;
}

/** Filters cancelled instances that their series still has; tombstones of others cannot be patched. */
async function filterRestorable(
  world: World,
  caller: Caller,
  cancelled: readonly string[],
): Promise<ReadonlySet<string>> {
  const patchOf = (idArgs: string) => `patchEvent(${idArgs}, event: {}, validateOnly: true) { id }`;
  const documentOf = (fields: string) => `mutation ($calendarId: String!) { ${fields} }`;
  const events = await sendFieldForEach(world, caller, cancelled, patchOf, documentOf);
  return new Set(events.flatMap((event) => (event ? [event.id as string] : [])));
}

/** All callers with each calendar they see, if one of them owns it: others cannot be surveyed. */
export async function listCalendarCallers(
  world: World,
): Promise<(Caller & { readonly calendar: EventJson })[]> {
  const calendarCallers: (Caller & { readonly calendar: EventJson })[] = [];
  for (const as of callers) {
    const { data } = await world.ask(as, 'calendars', {});
    for (const calendar of data.result as EventJson[])
      calendarCallers.push({ as, calendarId: calendar.id as string, calendar });
  }
  const ownedIds = new Set(
    calendarCallers.flatMap(({ calendar }) => (calendar.accessRole === 'owner' ? [calendar.id] : [])),
  );
  return calendarCallers.filter(({ calendarId }) => ownedIds.has(calendarId));
}

/** Reads all calendars of a world as an owner of each; the result reads what a caller sees there. */
export async function surveyWorld(world: World): Promise<(caller: Caller) => Promise<Snapshot>> {
  const eventIds = new Set<string>();
  /** Ids of the series of listed instances, by the ids of the instances. */
  const seriesIdByInstance = new Map<string, string>();
  const zoneByCalendar = new Map<string, string>();
  const ownerByCalendar = new Map(
    (await listCalendarCallers(world))
      .filter(({ calendar }) => calendar.accessRole === 'owner')
      .map((caller) => [caller.calendarId, caller]),
  );
  for (const { as, calendarId, calendar } of ownerByCalendar.values()) {
    const { data } = await world.ask(as, 'events', { calendarId, showDeleted: true, first: 400 });
    zoneByCalendar.set(calendarId, calendar.timeZone);
    // Instances are read by the ID of their series, even on the calendar of a guest of a single instance.
    for (const { id, recurringEventId } of data.result.nodes as EventJson[]) {
      eventIds.add(recurringEventId ?? id);
      if (recurringEventId) seriesIdByInstance.set(id, recurringEventId);
    }
  }
  const startsBySeries = new Map<string, Set<string>>();
  /** Single events by calendar: under one ID, another calendar may have a series. */
  const singleIdsByCalendar = new Map<string, Set<string>>();
  for (const { as, calendarId } of ownerByCalendar.values()) {
    const singleIds = new Set<string>();
    for (const { id, start, recurrence } of await readVisibleEvents(world, { as, calendarId }, [
      ...eventIds,
    ])) {
      if (!recurrence && start) singleIds.add(id);
      if (!recurrence) continue;
      const possibleIds = possibleOriginalStarts.map((original) => `${id}_${original}`);
      const foundInstances = await readVisibleEvents(world, { as, calendarId }, possibleIds);
      const starts = startsBySeries.get(id) ?? new Set();
      const cancelledIds = foundInstances.flatMap((event) =>
        event.status === 'cancelled' ? [event.id as string] : [],
      );
      const restorableIds = await filterRestorable(world, { as, calendarId }, cancelledIds);
      for (const instance of foundInstances)
        if (instance.status !== 'cancelled' || restorableIds.has(instance.id))
          starts.add((instance.id as string).slice(id.length + 1));
      startsBySeries.set(id, starts);
    }
    singleIdsByCalendar.set(calendarId, singleIds);
  }
  // An import may store an instance without its series.
  for (const [id, seriesId] of seriesIdByInstance) if (!startsBySeries.has(seriesId)) eventIds.add(id);
  const instanceIds = [...startsBySeries].flatMap(([id, starts]) =>
    [...starts].map((original) => `${id}_${original}`),
  );
  return async (caller) => ({
    zone: zoneByCalendar.get(caller.calendarId) as string,
    events: await readVisibleEvents(world, caller, [...eventIds]),
    occurrences: new Map(
      [...startsBySeries]
        .filter(([id]) => !singleIdsByCalendar.get(caller.calendarId)?.has(id))
        .map(([id, starts]) => [id, [...starts]]),
    ),
    instances: await readVisibleEvents(world, caller, instanceIds),
  });
}
