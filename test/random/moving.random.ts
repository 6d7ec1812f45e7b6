import { Temporal } from 'temporal-polyfill';
import { alice, type Shown } from '../event/event.harness.ts';
import { describeInEachWorld } from './each-world.ts';
import { historyLength, Random, seeds } from './seed.ts';
import type { World } from './worlds.ts';

const rounds = historyLength(6, 30);
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

/** A start in March 2027, in whose last half the clocks of both zones are put forward. */
interface Start {
  readonly local: Temporal.PlainDateTime;
  readonly zone: string;
}

const series = `mutation ($event: EventInput!) { result: insertEvent(calendarId: "primary", event: $event) { id recurrence } }`;
const patch = `mutation ($id: String!, $event: EventInput!) { result: patchEvent(calendarId: "primary", eventId: $id, event: $event) { id recurrence } }`;
const instances = `query ($id: String!) { result: instances(calendarId: "primary", eventId: $id, first: 2500, showDeleted: true) { nodes { id status summary } } }`;
const list = `query ($syncToken: String, $showDeleted: Boolean) {
  result: events(calendarId: "primary", syncToken: $syncToken, showDeleted: $showDeleted, first: 2500) { nodes { id status summary } nextSyncToken } }`;

function suite(here: () => World): void {
  const run = async (document: string, variables: object): Promise<Shown> => {
    const { data, errors } = await here().query(alice, document, variables);
    expect(errors ?? []).toEqual([]);
    return data.result;
  };
  const originalOf = (id: string): string => id.slice(id.lastIndexOf('_') + 1);
  const body = ({ local, zone }: Start) => ({
    start: { dateTime: local.toString(), timeZone: zone },
    end: { dateTime: local.add({ minutes: 30 }).toString(), timeZone: zone },
  });
  /** As it is stored: a time in a gap moves forward. */
  const startOf = (random: Random): Start => {
    const zone = random.pick(zones);
    const local = Temporal.PlainDateTime.from('2027-03-08T02:00')
      .add({ days: random.below(10) })
      .add({ minutes: random.pick([480, 480, 510, 780, 0]) });
    return { local: local.toZonedDateTime(zone).toPlainDateTime(), zone };
  };
  const occurrences = async (event: object): Promise<Set<string>> => {
    const { id } = await run(series, { event });
    const { nodes } = await run(instances, { id });
    await run(patch, { id, event: { status: 'cancelled' } });
    return new Set(nodes.map((node: Shown) => originalOf(node.id)));
  };

  test.each(seeds)(
    'find their places, and whoever follows the calendar knows (seed %i)',
    async (seed) => {
      const random = new Random(seed);
      for (let round = 0; round < rounds; round += 1) {
        const [before, after] = [startOf(random), startOf(random)];
        const { id } = await run(series, { event: { ...body(before), recurrence: [random.pick(rules)] } });
        const { nodes } = await run(instances, { id });
        const changed = random.some<string>(nodes.map((node: Shown) => node.id));
        const cancelled = new Set(changed.filter(() => random.chance(0.3)));
        for (const one of changed)
          await run(patch, {
            id: one,
            event: cancelled.has(one) ? { status: 'cancelled' } : { summary: originalOf(one) },
          });
        const known = await run(list, { showDeleted: true });

        const { recurrence } = await run(patch, { id, event: body(after) });
        const possible = await occurrences({ ...body(after), recurrence });
        const expected = placesOf(changed.map(originalOf), before, after, possible);
        const shown: Shown[] = (await run(instances, { id })).nodes;
        const found = shown.filter((node) => possible.has(originalOf(node.id)));
        const wanted = [...expected].map(
          ([from, to]) => `${to} ${cancelled.has(`${id}_${from}`) ? 'cancelled' : from}`,
        );
        expect(
          found
            .flatMap(({ id: one, status, summary }) =>
              status === 'cancelled' || summary
                ? [`${originalOf(one)} ${status === 'cancelled' ? status : summary}`]
                : [],
            )
            .toSorted(),
        ).toEqual(wanted.toSorted());

        const synced = await run(list, { syncToken: known.nextSyncToken });
        const fresh = await run(list, { showDeleted: true });
        const statuses = ({ nodes: all }: Shown): Map<string, string> =>
          new Map(all.map((node: Shown) => [node.id, node.status]));
        expect(new Map([...statuses(known), ...statuses(synced)])).toEqual(statuses(fresh));
        await run(patch, { id, event: { status: 'cancelled' } });
      }
    },
    historyLength(60_000, 300_000),
  );
}

/** The places of section 15 in plain words: the first of four that is free, tried for all before the next one is. */
function placesOf(
  originals: readonly string[],
  before: Start,
  after: Start,
  possible: ReadonlySet<string>,
): Map<string, string> {
  const difference = before.local.until(after.local, { largestUnit: 'hour' });
  const ofDay = before.local.toPlainTime().until(after.local.toPlainTime());
  const read = (local: Temporal.PlainDateTime): string =>
    local.toZonedDateTime(after.zone).toInstant().toString().replaceAll(/[-:]/g, '');
  const steps = (original: string): (string | undefined)[] => {
    const text = original.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, '$1-$2-$3T$4:$5:$6Z');
    const shown = Temporal.Instant.from(text).toZonedDateTimeISO(before.zone).toPlainDateTime();
    // A time in a gap moved forward.
    const usual = shown.toPlainDate().toPlainDateTime(before.local.toPlainTime());
    const isMoved = usual.toZonedDateTime(before.zone).toInstant().equals(Temporal.Instant.from(text));
    const local = isMoved ? usual : shown;
    const sameDay = local.add(ofDay);
    return [
      original,
      Math.abs(difference.total('hour')) < 24 ? read(local.add(difference)) : undefined,
      sameDay.toPlainDate().equals(local.toPlainDate()) ? read(sameDay) : undefined,
      read(local.add(difference)),
    ];
  };
  const [places, taken] = [new Map<string, string>(), new Set<string>()];
  for (const step of [0, 1, 2, 3])
    for (const original of originals.toSorted()) {
      const place = steps(original)[step];
      if (places.has(original) || place === undefined || !possible.has(place) || taken.has(place)) continue;
      places.set(original, place);
      taken.add(place);
    }
  return places;
}

describeInEachWorld('instances of a series that moves', suite);
