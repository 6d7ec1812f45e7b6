import {
  alice,
  berlin,
  bob,
  people,
  startEvents,
  zoned,
  type EventGateway,
  type Shown,
} from './event.harness.ts';

const at = (day: string, time: string) => ({
  start: { dateTime: `${day}T${time}:00`, timeZone: berlin },
  end: { dateTime: `${day}T${time}:30`, timeZone: berlin },
});
const events = [
  { id: 'late', ...at('2026-12-11', '09:00') },
  { id: 'early', ...at('2026-12-01', '08:00') },
  // It began long before all the others.
  { id: 'weekly', ...at('2026-06-02', '09:00'), recurrence: ['RRULE:FREQ=WEEKLY'] },
  { id: 'running', start: { date: '2026-11-20' }, end: { date: '2026-12-04' } },
  { id: 'twin', ...at('2026-12-01', '08:00') },
  { id: 'daily', ...at('2026-12-07', '10:00'), recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] },
  {
    id: 'allday',
    start: { date: '2026-12-05' },
    end: { date: '2026-12-06' },
    recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
  },
  { id: 'gone', status: 'cancelled', ...at('2026-12-02', '08:00') },
  { id: 'middle', ...at('2026-12-08', '12:00') },
];
const whole = [
  'running',
  'early',
  'twin',
  'weekly_20261201T080000Z',
  'allday_20261205',
  'allday_20261206',
  'allday_20261207',
  'daily_20261207T090000Z',
  'weekly_20261208T080000Z',
  'daily_20261208T090000Z',
  'middle',
  'daily_20261209T090000Z',
  'daily_20261210T090000Z',
  'late',
  'daily_20261211T090000Z',
  'weekly_20261215T080000Z',
];

describe('a list in the order of starts', () => {
  let gateway: EventGateway;
  beforeAll(async () => void (gateway = await startEvents({ seed: { calendars: people(events) } })));
  afterAll(() => gateway.close());

  const query = `query ($timeMin: DateTime, $timeMax: DateTime, $first: Int, $after: String) {
    events(calendarId: "${alice}", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;

  /** The ids of at most `most` entries, read in pages. */
  async function read(first: number, range: object, most: number): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | null = null; ids.length < most;) {
      const { data, errors } = await gateway.ask(query, { ...range, first, after });
      expect(errors).toBeUndefined();
      ids.push(...data.events.nodes.map(({ id }: Shown) => id));
      after = data.events.pageInfo.endCursor;
      if (!data.events.pageInfo.hasNextPage) break;
    }
    return ids.slice(0, most);
  }

  test.each([1, 2, 3, 5, 13, 250])(
    'holds series that began before, page by page, whatever the length of a page (%i)',
    async (first) => {
      expect(
        await read(
          first,
          { timeMin: '2026-12-01T00:00:00+01:00', timeMax: '2026-12-16T00:00:00+01:00' },
          Infinity,
        ),
      ).toEqual(whole);
      expect(await read(first, { timeMin: '2026-12-01T00:00:00+01:00' }, whole.length)).toEqual(whole);
    },
  );

  test('begins with the first start of all where no time is given', async () => {
    expect(await read(3, {}, 3)).toEqual([
      'weekly_20260602T070000Z',
      'weekly_20260609T070000Z',
      'weekly_20260616T070000Z',
    ]);
  });
});

test('what remains of an instance that had become a day is listed on that day, on pages of any length', async () => {
  const gateway = await startEvents();
  const { id } = await gateway.make({
    ...zoned,
    recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
    attendees: [{ email: bob }],
  });
  const instance = `${id}_20261204T090000Z`;
  await gateway.change(instance, {
    start: { date: '2026-12-03', dateTime: null },
    end: { date: '2026-12-04', dateTime: null },
  });
  await gateway.change(instance, { attendees: [] });
  const list = `query ($first: Int, $after: String) { result: events(calendarId: "${bob}", singleEvents: true, showDeleted: true, orderBy: startTime, first: $first, after: $after) {
    nodes { id } pageInfo { endCursor } } }`;
  const expected = [`${id}_20261201T090000Z`, `${id}_20261202T090000Z`, instance, `${id}_20261203T090000Z`];
  for (const first of [1, 2, 10]) {
    const ids: string[] = [];
    for (let after: string | null = null; ids.length < expected.length;) {
      const { event } = await gateway.run(list, { first, after }, bob);
      if (event.nodes.length === 0) break;
      ids.push(...event.nodes.map((node: Shown) => node.id));
      after = event.pageInfo.endCursor;
    }
    expect(ids).toEqual(expected);
  }
  await gateway.close();
});
