import { alice, bob, hour, makeMany, sampleCalendars, rita, textOf, useEvents } from './event.harness.ts';

describe('the work budget of a request', () => {
  const utcTime = (time: string) => ({ dateTime: `2029-01-01T${time}:00Z`, timeZone: 'UTC' });
  const rareSeries = {
    start: utcTime('10:00'),
    end: utcTime('10:30'),
    recurrence: ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'],
  };
  const longEvent = {
    ...hour,
    attendees: makeMany(100, (index) => ({ email: `guest${index}@example.org`, displayName: textOf(4000) })),
  };
  const eventsNamed = (name: string, count: number, body: object) =>
    makeMany(count, (index) => ({ id: `${name}${index}`, ...body }));
  const seed = {
    calendars: sampleCalendars(eventsNamed('rare', 30, rareSeries), eventsNamed('long', 30, longEvent)),
  };
  const gateway = useEvents({ seed });

  const listByStart = (index: number): string =>
    `events(calendarId: "${alice}", singleEvents: true, orderBy: startTime, first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const listInstances = (index: number): string =>
    `instances(calendarId: "${alice}", eventId: "rare0", first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const searchEvents = (index: number): string =>
    `events(calendarId: "${bob}", q: "nothing${index}", first: 1)`;
  const listPlainly = (): string => `events(calendarId: "${bob}", first: 1)`;

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
    ['occurrences', [...makeMany(14, listByStart), listInstances(0)], 'timeMax'],
    ['a search', makeMany(15, searchEvents), 'q'],
  ])('for %s is shared by its lists: one is answered, but not many', async (_case, lists, path) => {
    for (const index of [13, 14]) expect(await listRefusals(lists[index] as string)).toEqual([]);
    const refusals = await listRefusals(...lists, listPlainly());
    expect(refusals.length).toBeGreaterThan(5);
    expect(refusals).toEqual(
      makeMany(refusals.length, (index) => `f${15 - refusals.length + index} BAD_USER_INPUT ${path} tooMany`),
    );
  });

  test('is not charged for listed events', async () => {
    expect(await listRefusals(...makeMany(100, listPlainly))).toEqual([]);
  });
});
