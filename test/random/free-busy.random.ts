import { alice, bob, carol, fritz, type Shown } from '../event/event.harness.ts';
import { query } from '../event/free-busy.harness.ts';
import { describeInEachWorld } from './each-world.ts';
import { writes } from './event-writes.ts';
import { Operations } from './operations.ts';
import { historyLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';
import { instantAt } from './zone.ts';

/** Few changes at a time: where much is busy, most of it makes no difference. */
const [rounds, changes, ranges] = [historyLength(6, 25), 5, 2];
const dayMs = 86_400_000;

type Times = (readonly [from: number, to: number])[];

function suite(here: () => World): void {
  test.each(seeds)('are when events are that the owner lists and did not decline (seed %i)', async (seed) => {
    const [random, operations] = [new Random(seed), new Operations(seed)];
    for (let round = 0; round < rounds; round += 1) {
      for (let count = 0; count < changes; count += 1) await here().send(operations.next(writes));
      for (const guest of [bob, carol]) await decline(random, guest);
      for (let count = 0; count < ranges; count += 1) await compare(random);
    }
  });

  /** Says no to one of the next events, or to a series of which it is. */
  async function decline(random: Random, guest: string): Promise<void> {
    const { data } = await here().query(
      guest,
      `{ events(calendarId: "primary", singleEvents: true, orderBy: startTime, first: 9) { nodes { id recurringEventId attendees { self } } } }`,
      {},
    );
    const invitations = data.events.nodes.filter(({ attendees }: Shown) =>
      attendees?.some(({ self }: Shown) => self),
    );
    if (invitations.length === 0) return;
    const { id, recurringEventId } = random.pick<Shown>(invitations);
    const answer = { attendees: [{ email: guest, responseStatus: 'declined' }], attendeesOmitted: true };
    const { errors } = await here().query(
      guest,
      'mutation ($id: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, event: $event) { id } }',
      { id: random.chance(0.3) ? (recurringEventId ?? id) : id, event: answer },
    );
    // Of a series the guest may be on one instance alone.
    expect(errors ?? []).toEqual(
      errors ? [expect.objectContaining({ extensions: expect.objectContaining({ code: 'NOT_FOUND' }) })] : [],
    );
  }

  async function compare(random: Random): Promise<void> {
    const from = Date.UTC(2026, 10, 28 + random.below(16), random.below(24), random.below(60));
    const range = {
      timeMin: new Date(from).toISOString(),
      timeMax: new Date(from + Math.ceil(random.share() * 20 * dayMs)).toISOString(),
    };
    for (const owner of [alice, bob, carol]) {
      const listed = merged(await ownEvents(here(), owner, range), from, Date.parse(range.timeMax));
      for (const as of [owner, ...(owner === carol ? [] : [fritz])]) {
        const { data, errors } = await here().query(as, query, {
          ...range,
          calendarIds: [owner],
          timeZone: random.pick([null, 'America/New_York', 'Asia/Kolkata']),
        });
        expect(errors).toBeUndefined();
        expect([as, data.result[0].error, timesOf(data.result[0].busy)]).toEqual([as, null, listed]);
      }
    }
  }
}

describeInEachWorld('busy times', suite);

const timesOf = (busy: readonly Shown[]): Times =>
  busy.map(({ start, end }) => [Date.parse(start), Date.parse(end)]);

/** When the events are that keep the owner of a calendar busy. */
async function ownEvents(world: World, owner: string, range: object): Promise<Times> {
  const { data, errors } = await world.query(
    owner,
    `query ($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime) {
    calendar(calendarId: $calendarId) { timeZone }
    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, first: 2500) {
      nodes { transparency start { date dateTime } end { date dateTime } attendees { self responseStatus } } } }`,
    { ...range, calendarId: owner },
  );
  expect(errors).toBeUndefined();
  const moment = ({ date, dateTime }: Shown): number =>
    date ? instantAt(Date.parse(date), data.calendar.timeZone) : Date.parse(dateTime);
  return data.events.nodes
    .filter(
      ({ transparency, attendees }: Shown) =>
        transparency !== 'transparent' &&
        !attendees?.some(({ self, responseStatus }: Shown) => self && responseStatus === 'declined'),
    )
    .map(({ start, end }: Shown) => [moment(start), moment(end)]);
}

function merged(times: Times, from: number, to: number): Times {
  const found: [number, number][] = [];
  for (const [start, end] of times
    .map(([a, b]) => [Math.max(a, from), Math.min(b, to)] as const)
    .filter(([a, b]) => a < b)
    .sort(([a], [b]) => a - b)) {
    const last = found.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else found.push([start, end]);
  }
  return found;
}
