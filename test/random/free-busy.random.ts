import { alice, bob, carol, type EventJson, fritz } from '../event/event.harness.ts';
import { freeBusyQuery } from '../event/free-busy.harness.ts';
import { responseOf } from '../event/list.harness.ts';
import { describeInEachWorld } from './each-world.ts';
import { eventWrites } from './event-writes.ts';
import { OperationSequence } from './operation-sequence.ts';
import { chooseLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';
import { instantAt } from './zone.ts';

/** Few changes per round: on a busy calendar most changes have no effect. */
const [roundCount, changesPerRound, rangesPerRound] = [chooseLength(6, 25), 5, 2];
const dayMs = 86_400_000;

const nextEventsQuery =
  '{ events(calendarId: "primary", singleEvents: true, orderBy: startTime, first: 9) { nodes { id recurringEventId attendees { self } } } }';
const patchMutation =
  'mutation ($id: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $id, event: $event) { id } }';

type Intervals = (readonly [from: number, to: number])[];

function suite(getWorld: () => World): void {
  test.each(seeds)('are those of listed events that the owner has not declined (seed %i)', async (seed) => {
    const [random, operations] = [new Random(seed), new OperationSequence(seed)];
    for (let round = 0; round < roundCount; round += 1) {
      for (let count = 0; count < changesPerRound; count += 1)
        await getWorld().send(operations.next(eventWrites));
      for (const guest of [bob, carol]) await decline(random, guest);
      for (let count = 0; count < rangesPerRound; count += 1) await compareBusyTimes(random);
    }
  });

  /** Declines one of the next invitations, or its series. */
  async function decline(random: Random, guest: string): Promise<void> {
    const { data } = await getWorld().sendDocument(guest, nextEventsQuery, {});
    const invitations = data.events.nodes.filter(({ attendees }: EventJson) =>
      attendees?.some(({ self }: EventJson) => self),
    );
    if (invitations.length === 0) return;
    const { id, recurringEventId } = random.pick<EventJson>(invitations);
    const response = responseOf(guest, 'declined');
    const eventId = random.chance(0.3) ? (recurringEventId ?? id) : id;
    const { errors } = await getWorld().sendDocument(guest, patchMutation, { id: eventId, event: response });
    // NOT_FOUND if the guest is invited to an instance, but not to its series.
    if (errors) expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  }

  async function compareBusyTimes(random: Random): Promise<void> {
    const fromMs = Date.UTC(
      2026,
      10,
      28 + random.integerBelow(16),
      random.integerBelow(24),
      random.integerBelow(60),
    );
    const range = {
      timeMin: new Date(fromMs).toISOString(),
      timeMax: new Date(fromMs + Math.ceil(random.fraction() * 20 * dayMs)).toISOString(),
    };
    for (const owner of [alice, bob, carol]) {
      const listedIntervals = await listBusyIntervals(getWorld(), owner, range);
      const expectedIntervals = mergeIntervals(listedIntervals, fromMs, Date.parse(range.timeMax));
      for (const as of [owner, ...(owner === carol ? [] : [fritz])]) {
        const timeZone = random.pick([null, 'America/New_York', 'Asia/Kolkata']);
        const args = { ...range, calendarIds: [owner], timeZone };
        const { data, errors } = await getWorld().sendDocument(as, freeBusyQuery, args);
        expect(errors).toBeUndefined();
        expect([as, data.result[0].error, toIntervals(data.result[0].busy)]).toEqual([
          as,
          null,
          expectedIntervals,
        ]);
      }
    }
  }
}

describeInEachWorld('busy times', suite);

const toIntervals = (busy: readonly EventJson[]): Intervals =>
  busy.map(({ start, end }) => [Date.parse(start), Date.parse(end)]);

/** Lists the times of events that make the owner of a calendar busy. */
async function listBusyIntervals(world: World, owner: string, range: object): Promise<Intervals> {
  const { data, errors } = await world.sendDocument(
    owner,
    `query ($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime) {
    calendar(calendarId: $calendarId) { timeZone }
    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, first: 2500) {
      nodes { transparency start { date dateTime } end { date dateTime } attendees { self responseStatus } } } }`,
    { ...range, calendarId: owner },
  );
  expect(errors).toBeUndefined();
  const instantOf = ({ date, dateTime }: EventJson): number =>
    date ? instantAt(Date.parse(date), data.calendar.timeZone) : Date.parse(dateTime);
  return data.events.nodes
    .filter(
      ({ transparency, attendees }: EventJson) =>
        transparency !== 'transparent' &&
        !attendees?.some(({ self, responseStatus }: EventJson) => self && responseStatus === 'declined'),
    )
    .map(({ start, end }: EventJson) => [instantOf(start), instantOf(end)]);
}

function mergeIntervals(intervals: Intervals, from: number, toMs: number): Intervals {
  const mergedIntervals: [number, number][] = [];
  for (const [start, end] of intervals
    .map(([a, b]) => [Math.max(a, from), Math.min(b, toMs)] as const)
    .filter(([a, b]) => a < b)
    .sort(([a], [b]) => a - b)) {
    const last = mergedIntervals.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else mergedIntervals.push([start, end]);
  }
  return mergedIntervals;
}
