import type { Shown } from '../event/event.harness.ts';
import { callers } from './cast.ts';
import type { Knowledge } from './plain-list.ts';
import type { Seat } from './references.ts';
import type { World } from './worlds.ts';

/** As many root fields as one request may have. */
const most = 100;
/** Every field that a list can be asked for, or that tells how much is shown. */
const fields = `id status etag updated recurringEventId iCalUID summary description location visibility recurrence
  start { date dateTime } end { date dateTime } attendees { email displayName } extendedProperties { private shared }`;

/** Every original start that a series of these tests may have in December 2026, and in the months behind it the first one. */
const originals = [
  ...Array.from({ length: 27 }, (_, index) => `202612${String(index + 1).padStart(2, '0')}`),
  '20270105',
  '20270202',
].flatMap((day) => [day, ...['09', '13', '15', '19'].map((hour) => `${day}T${hour}0000Z`)]);
/** No occurrence begins later that is not among them. */
export const endOfKnowledge = '2026-12-20T20:00:00Z';

/** The events that a caller finds on a calendar, each asked for by its id. */
async function find(world: World, { as, calendarId }: Seat, ids: readonly string[]): Promise<Shown[]> {
  const found: Shown[] = [];
  for (let begin = 0; begin < ids.length; begin += most) {
    const part = ids.slice(begin, begin + most);
    const read = part.map(
      (id, index) => `e${index}: event(calendarId: $calendarId, eventId: ${JSON.stringify(id)}) { ...all }`,
    );
    const { data } = await world.query(
      as,
      `query ($calendarId: String!) { ${read.join(' ')} } fragment all on Event { ${fields} }`,
      { calendarId },
    );
    found.push(...Object.values(data as Record<string, Shown>).filter((event) => event !== null));
  }
  return found;
}

/** Those of some cancelled instances that their series still has: what is left of others cannot be changed. */
async function standing(
  world: World,
  { as, calendarId }: Seat,
  cancelled: readonly string[],
): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for (let begin = 0; begin < cancelled.length; begin += most) {
    const part = cancelled.slice(begin, begin + most);
    const tried = part.map(
      (id, index) =>
        `e${index}: patchEvent(calendarId: $calendarId, eventId: ${JSON.stringify(id)}, event: {}, validateOnly: true) { id }`,
    );
    const { data } = await world.query(as, `mutation ($calendarId: String!) { ${tried.join(' ')} }`, {
      calendarId,
    });
    for (const event of Object.values(data as Record<string, Shown>)) if (event) there.add(event.id);
  }
  return there;
}

/** Everybody on each calendar that is shown, with the calendar as it is shown. */
export async function openSeats(world: World): Promise<(Seat & { readonly calendar: Shown })[]> {
  const found = [];
  for (const as of callers) {
    const { data } = await world.ask(as, 'calendars', {});
    found.push(
      ...(data.result as Shown[]).map((calendar) => ({ as, calendarId: calendar.id as string, calendar })),
    );
  }
  return found;
}

/** What there is on a world's calendars, by what one owner of each is answered. */
export async function surveyOf(world: World): Promise<(seat: Seat) => Promise<Knowledge>> {
  const ids = new Set<string>();
  const zones = new Map<string, string>();
  const owners = new Map(
    (await openSeats(world))
      .filter(({ calendar }) => calendar.accessRole === 'owner')
      .map((seat) => [seat.calendarId, seat]),
  );
  for (const { as, calendarId, calendar } of owners.values()) {
    const { data } = await world.ask(as, 'events', { calendarId, showDeleted: true, first: 400 });
    zones.set(calendarId, calendar.timeZone);
    // Instances are found by their series, and by what remains of one on the calendar of a guest of it alone.
    for (const { id, recurringEventId } of data.result.nodes as Shown[]) ids.add(recurringEventId ?? id);
  }
  const series = new Map<string, Set<string>>();
  /** Two calendars may each have an event of their own under one id, of which one is a series and the other is not. */
  const singles = new Map<string, Set<string>>();
  for (const { as, calendarId } of owners.values()) {
    const here = new Set<string>();
    for (const { id, start, recurrence } of await find(world, { as, calendarId }, [...ids])) {
      if (!recurrence && start) here.add(id);
      if (!recurrence) continue;
      const found = await find(
        world,
        { as, calendarId },
        originals.map((original) => `${id}_${original}`),
      );
      const known = series.get(id) ?? new Set();
      const cancelled = found.filter(({ status }) => status === 'cancelled').map((one) => one.id as string);
      const there = await standing(world, { as, calendarId }, cancelled);
      for (const instance of found)
        if (instance.status !== 'cancelled' || there.has(instance.id))
          known.add((instance.id as string).slice(id.length + 1));
      series.set(id, known);
    }
    singles.set(calendarId, here);
  }
  const instanceIds = [...series].flatMap(([id, starts]) =>
    [...starts].map((original) => `${id}_${original}`),
  );
  return async (seat) => ({
    zone: zones.get(seat.calendarId) as string,
    events: await find(world, seat, [...ids]),
    occurrences: new Map(
      [...series]
        .filter(([id]) => !singles.get(seat.calendarId)?.has(id))
        .map(([id, starts]) => [id, [...starts]]),
    ),
    instances: await find(world, seat, instanceIds),
  });
}
