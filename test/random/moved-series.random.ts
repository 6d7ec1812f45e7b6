import { Temporal } from 'temporal-polyfill';
import { alice, type EventJson } from '../event/event.harness.ts';
import { describeInEachWorld } from './each-world.ts';
import { chooseLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const roundCount = chooseLength(6, 30);
const zones = ['Europe/Berlin', 'America/New_York'];
const rules = [
  'RRULE:FREQ=DAILY;COUNT=12',
  'RRULE:FREQ=DAILY;UNTIL=20270320T120000Z',
  'RRULE:FREQ=DAILY;INTERVAL=2;COUNT=9',
  'RRULE:FREQ=WEEKLY;COUNT=6',
  'RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=9',
  'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;COUNT=6',
  'RRULE:FREQ=DAILY;BYHOUR=10,15;COUNT=10',
  'RRULE:FREQ=MONTHLY;BYMONTHDAY=8;COUNT=4',
];

/** A start in March 2027, the month in which both zones switch to daylight saving time. */
interface SeriesStart {
  readonly localStart: Temporal.PlainDateTime;
  readonly zone: string;
}

const insertMutation = `mutation ($event: EventInput!) { result: insertEvent(calendarId: "primary", event: $event) { id recurrence } }`;
const patchMutation = `mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "primary", eventId: $id, event: $event) { id recurrence } }`;
const instancesQuery = `query ($id: String!) { result: instances(calendarId: "primary", eventId: $id, first: 2500, showDeleted: true) { nodes { id status summary } } }`;
const listQuery = `query ($syncToken: String, $showDeleted: Boolean) {
  result: events(calendarId: "primary", syncToken: $syncToken, showDeleted: $showDeleted, first: 2500) { nodes { id status summary } nextSyncToken } }`;

function suite(getWorld: () => World): void {
  const sendAsAlice = async (document: string, variables: object): Promise<EventJson> => {
    const { data, errors } = await getWorld().sendDocument(alice, document, variables);
    expect(errors ?? []).toEqual([]);
    return data.result;
  };
  const originalStartOf = (id: string): string => id.slice(id.lastIndexOf('_') + 1);
  const timesOf = ({ localStart, zone }: SeriesStart) => ({
    start: { dateTime: localStart.toString(), timeZone: zone },
    end: { dateTime: localStart.add({ minutes: 30 }).toString(), timeZone: zone },
  });
  /** A random start, moved forward out of a gap as the gateway does. */
  const randomStart = (random: Random): SeriesStart => {
    const zone = random.pick(zones);
    const local = Temporal.PlainDateTime.from('2027-03-08T02:00')
      .add({ days: random.integerBelow(10) })
      .add({ minutes: random.pick([480, 480, 510, 780, 0]) });
    return { localStart: local.toZonedDateTime(zone).toPlainDateTime(), zone };
  };
  const listOriginalStarts = async (event: object): Promise<Set<string>> => {
    const { id } = await sendAsAlice(insertMutation, { event });
    const { nodes } = await sendAsAlice(instancesQuery, { id });
    await sendAsAlice(patchMutation, { id, event: { status: 'cancelled' } });
    return new Set(nodes.map((node: EventJson) => originalStartOf(node.id)));
  };

  test.each(seeds)(
    'move as specified, which syncs report (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      for (let round = 0; round < roundCount; round += 1) {
        const [startBefore, startAfter] = [randomStart(random), randomStart(random)];
        const series = { ...timesOf(startBefore), recurrence: [random.pick(rules)] };
        const { id } = await sendAsAlice(insertMutation, { event: series });
        const { nodes } = await sendAsAlice(instancesQuery, { id });
        const changedIds = random.pickSome<string>(nodes.map((node: EventJson) => node.id));
        const cancelledIds = new Set(changedIds.filter(() => random.chance(0.3)));
        for (const instanceId of changedIds) {
          const isCancelled = cancelledIds.has(instanceId);
          const event = isCancelled ? { status: 'cancelled' } : { summary: originalStartOf(instanceId) };
          await sendAsAlice(patchMutation, { id: instanceId, event });
        }
        const knownList = await sendAsAlice(listQuery, { showDeleted: true });

        const { recurrence } = await sendAsAlice(patchMutation, { id, event: timesOf(startAfter) });
        const possibleStarts = await listOriginalStarts({ ...timesOf(startAfter), recurrence });
        const expectedStarts = expectedOriginalStarts(
          changedIds.map(originalStartOf),
          startBefore,
          startAfter,
          possibleStarts,
        );
        const instances: EventJson[] = (await sendAsAlice(instancesQuery, { id })).nodes;
        const possibleInstances = instances.filter((node) => possibleStarts.has(originalStartOf(node.id)));
        const expectedInstances = [...expectedStarts].map(
          ([from, to]) => `${to} ${cancelledIds.has(`${id}_${from}`) ? 'cancelled' : from}`,
        );
        const changedInstances = possibleInstances.flatMap(({ id: instanceId, status, summary }) => {
          const change = status === 'cancelled' ? status : summary;
          return change ? [`${originalStartOf(instanceId)} ${change}`] : [];
        });
        expect(changedInstances.toSorted()).toEqual(expectedInstances.toSorted());

        const syncedList = await sendAsAlice(listQuery, { syncToken: knownList.nextSyncToken });
        const freshList = await sendAsAlice(listQuery, { showDeleted: true });
        const statusById = ({ nodes: events }: EventJson): Map<string, string> =>
          new Map(events.map((node: EventJson) => [node.id, node.status]));
        expect(new Map([...statusById(knownList), ...statusById(syncedList)])).toEqual(statusById(freshList));
        await sendAsAlice(patchMutation, { id, event: { status: 'cancelled' } });
      }
    },
    chooseLength(60_000, 300_000),
  );
}

/**
 * Computes the new original start of each changed instance after its series has moved. Each instance has four
 * candidates: all first ones are tried, then all second ones, and so on. A start is taken only once.
 */
function expectedOriginalStarts(
  originals: readonly string[],
  before: SeriesStart,
  after: SeriesStart,
  possible: ReadonlySet<string>,
): Map<string, string> {
  const shift = before.localStart.until(after.localStart, { largestUnit: 'hour' });
  const timeOfDayDifference = before.localStart.toPlainTime().until(after.localStart.toPlainTime());
  const toOriginalStart = (local: Temporal.PlainDateTime): string =>
    local.toZonedDateTime(after.zone).toInstant().toString().replaceAll(/[-:]/g, '');
  const candidatesFor = (original: string): (string | undefined)[] => {
    const text = original.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
    const localTime = Temporal.Instant.from(text).toZonedDateTimeISO(before.zone).toPlainDateTime();
    // Undoes the shift of a time in a gap.
    const expectedLocal = localTime.toPlainDate().toPlainDateTime(before.localStart.toPlainTime());
    const expectedInstant = expectedLocal.toZonedDateTime(before.zone).toInstant();
    const isAtSeriesTime = expectedInstant.equals(Temporal.Instant.from(text));
    const unshiftedTime = isAtSeriesTime ? expectedLocal : localTime;
    const sameDay = unshiftedTime.add(timeOfDayDifference);
    return [
      original,
      Math.abs(shift.total('hour')) < 24 ? toOriginalStart(unshiftedTime.add(shift)) : undefined,
      sameDay.toPlainDate().equals(unshiftedTime.toPlainDate()) ? toOriginalStart(sameDay) : undefined,
      toOriginalStart(unshiftedTime.add(shift)),
    ];
  };
  const [newStarts, takenStarts] = [new Map<string, string>(), new Set<string>()];
  for (const candidateIndex of [0, 1, 2, 3])
    for (const original of originals.toSorted()) {
      const candidate = candidatesFor(original)[candidateIndex];
      if (
        newStarts.has(original) ||
        candidate === undefined ||
        !possible.has(candidate) ||
        takenStarts.has(candidate)
      )
        continue;
      newStarts.set(original, candidate);
      takenStarts.add(candidate);
    }
  return newStarts;
}

describeInEachWorld('instances of a series that moves', suite);
