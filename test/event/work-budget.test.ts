import {
  alice,
  bob,
  oneHour,
  makeMany,
  sampleCalendars,
  textOfLength,
  useEventGateway,
  rita,
} from './event.harness.ts';

describe('the work budget of a request', () => {
  const utcTime = (time: string) => ({ dateTime: `2029-01-01T${time}:00Z`, timeZone: 'UTC' });
  /** A series with few occurrences: each search for the next one costs much work. */
  const rareSeries = {
    start: utcTime('10:00'),
    end: utcTime('10:30'),
    recurrence: ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'],
  };
  const longEvent = {
    ...oneHour,
    attendees: makeMany(100, (index) => ({
      email: `guest${index}@example.org`,
      displayName: textOfLength(4000),
    })),
  };
  const createEvents = (idPrefix: string, count: number, body: object) =>
    makeMany(count, (index) => ({ id: `${idPrefix}${index}`, ...body }));
  const seed = {
    calendars: sampleCalendars(createEvents('rare', 30, rareSeries), createEvents('long', 30, longEvent)),
  };
  const gateway = useEventGateway({ seed });

  const listByStartQuery = (index: number): string =>
    `events(calendarId: "${alice}", singleEvents: true, orderBy: startTime, first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const instancesQuery = (index: number): string =>
    `instances(calendarId: "${alice}", eventId: "rare0", first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const searchQuery = (index: number): string =>
    `events(calendarId: "${bob}", q: "nothing${index}", first: 1)`;
  const plainListQuery = (): string => `events(calendarId: "${bob}", first: 1)`;

  /** Sends lists in one request and describes which were refused. */
  async function listRefusals(...lists: readonly string[]): Promise<string[]> {
    const { errors = [] } = await gateway.ask(
      `{ ${lists.map((list, index) => `f${index}: ${list} { nodes { id } }`).join(' ')} }`,
      {},
      { as: rita },
    );
    return errors.map(
      ({ path, extensions: { code, issues } }) =>
        `${path?.[0]} ${code} ${issues.map((issue) => `${issue.path.join('.')} ${issue.reason}`).join()}`,
    );
  }

  test.each([
    ['occurrences', [...makeMany(14, listByStartQuery), instancesQuery(0)], 'timeMax'],
    ['a search', makeMany(15, searchQuery), 'q'],
  ])(
    'for %s is shared by its lists: a single one succeeds, many of them do not',
    async (_case, lists, path) => {
      // The last two lists of occurrences are one of each kind.
      for (const index of [13, 14]) expect(await listRefusals(lists[index] as string)).toEqual([]);
      const refusals = await listRefusals(...lists, plainListQuery());
      expect(refusals.length).toBeGreaterThan(5);
      expect(refusals).toEqual(
        makeMany(
          refusals.length,
          (index) => `f${15 - refusals.length + index} BAD_USER_INPUT ${path} tooMany`,
        ),
      );
    },
  );

  test('is not charged for listed events', async () => {
    expect(await listRefusals(...makeMany(100, plainListQuery))).toEqual([]);
  });
});
