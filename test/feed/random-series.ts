import { eventTimeAt } from '../../src/recurrence/original-start.ts';
import { alice, type EventJson, makeMany } from '../event/event.harness.ts';
import { fc } from '../property.ts';
import type { FeedGateway } from './feed.harness.ts';

// Random series for feeds, and the starts that readers of a feed must find.

const zones = [
  ...['Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Africa/Casablanca'],
  ...['Asia/Kathmandu', 'Asia/Tokyo', 'Pacific/Apia', 'Europe/Dublin', 'UTC'],
];
const rules = [
  ...[
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;COUNT=200',
    'FREQ=WEEKLY;BYDAY=TU,FR;COUNT=9',
    'FREQ=WEEKLY;BYDAY=MO,WE,SU',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
  ],
  ...[
    'FREQ=MONTHLY;BYDAY=2TU;COUNT=30',
    'FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
    'FREQ=WEEKLY;UNTIL=20270701T000000Z',
  ],
];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** End (RFC 3339) up to which readers expand series. */
export const expansionEnd = '2028-01-01T00:00:00Z';
/** Day before which starts are compared: readers end in local times. */
const comparisonEnd = '2027-12-30';

export type InstanceChange = 'cancel' | 'move' | 'rename';

const anySeries = fc.record({
  zone: fc.constantFrom(...zones),
  rule: fc.constantFrom(...rules),
  isAllDay: fc.boolean(),
  day: fc.integer({ min: 200, max: 700 }),
  hour: fc.integer({ min: 0, max: 23 }),
  addsRdate: fc.boolean(),
  excludesSecondStart: fc.boolean(),
  changes: fc.array(fc.tuple(fc.nat(12), fc.constantFrom<InstanceChange>('cancel', 'move', 'rename')), {
    maxLength: 4,
  }),
});

type Series = typeof anySeries extends fc.Arbitrary<infer Value> ? Value : never;

/** Inserts random series on Alice's calendar, with excluded, additional, cancelled, moved and renamed occurrences; returns their ids. */
export async function insertSeries(gateway: FeedGateway, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const series of fc.sample(anySeries, { numRuns: count, seed: 20_261_130 })) {
    const { id } = await gateway.makeEvent(createSeriesBody(series));
    const [firstInstance, secondInstance, ...laterInstances] = await gateway.listInstances(id, expansionEnd);
    if (series.excludesSecondStart && secondInstance && firstInstance)
      await gateway.changeEvent(id, {
        recurrence: [...createSeriesBody(series).recurrence, exdateOf(secondInstance, series.zone)],
      });
    for (const [index, change] of series.changes) {
      const instance: EventJson = laterInstances[index];
      if (instance)
        await gateway.patch(instance.id, createChangeBody(change, instance), { calendarId: alice });
    }
    ids.push(id as string);
  }
  return ids;
}

function createSeriesBody({ zone, rule, isAllDay, day, hour, addsRdate }: Series) {
  const startMs = Date.parse('2025-06-01T00:00:00Z') + day * dayMs + hour * hourMs;
  const template = isAllDay ? { date: '' } : { timeZone: zone };
  const rdate = new Date(startMs + 40 * dayMs).toISOString().replace(/[-:]|\.000/g, '');
  return {
    summary: `${rule} in ${zone}`,
    start: eventTimeAt(isAllDay ? startMs - hour * hourMs : startMs, template),
    end: eventTimeAt(isAllDay ? startMs - hour * hourMs + dayMs : startMs + hourMs, template),
    recurrence: [
      `RRULE:${isAllDay ? rule.replace(/(UNTIL=\d{8})\w+/, '$1') : rule}`,
      ...(addsRdate ? [isAllDay ? `RDATE;VALUE=DATE:${rdate.slice(0, 8)}` : `RDATE:${rdate}`] : []),
    ],
  };
}

const exdateOf = ({ start }: EventJson, zone: string): string =>
  start.date
    ? `EXDATE;VALUE=DATE:${start.date.replaceAll('-', '')}`
    : `EXDATE;TZID=${zone}:${start.dateTime.slice(0, 19).replace(/[-:]/g, '')}`;

function createChangeBody(change: InstanceChange, { start, end }: EventJson): object {
  if (change === 'cancel') return { status: 'cancelled' };
  if (change === 'rename') return { summary: 'renamed' };
  const postpone = (time: EventJson) =>
    time.date
      ? { date: new Date(Date.parse(time.date) + 2 * dayMs).toISOString().slice(0, 10) }
      : { dateTime: new Date(Date.parse(time.dateTime) + 50 * hourMs).toISOString() };
  return { start: postpone(start), end: postpone(end) };
}

/** Lists the starts of each series before `comparisonEnd`, sorted: dates, or instants in UTC. */
export const listExpectedStarts = async (
  gateway: FeedGateway,
  ids: readonly string[],
): Promise<string[][]> => {
  const starts: string[][] = makeMany(0, () => []);
  for (const id of ids)
    starts.push(
      (await gateway.listInstances(id, '2030-01-01T00:00:00Z'))
        .map(({ start }: EventJson) => start.date ?? new Date(start.dateTime).toISOString())
        .filter((start) => start < comparisonEnd)
        .sort(),
    );
  return starts;
};

/** An event as a library read it from a feed; `starts` are those of its rules. */
interface ReadComponent {
  readonly uid: string;
  readonly recurrenceId: string | null;
  readonly start: string | null;
  readonly starts: readonly string[] | null;
}

/** Lists each series' starts as a library read them: by its rules, with changed instances in their places. */
export function listReadStarts(events: readonly ReadComponent[]): string[][] {
  const series = events.filter(({ recurrenceId }) => recurrenceId === null);
  return series.map(({ uid, starts }) => {
    const changedInstances = events.filter((event) => event.uid === uid && event.recurrenceId !== null);
    const replacedStarts = new Set(changedInstances.map(({ recurrenceId }) => recurrenceId));
    return [
      ...(starts ?? []).filter((start) => !replacedStarts.has(start)),
      ...changedInstances.map(({ start }) => start ?? ''),
    ]
      .filter((start) => start < comparisonEnd)
      .sort();
  });
}
