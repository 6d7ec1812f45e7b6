import { alice, bob, hour, many, people, rita, text, useEvents } from './event.harness.ts';

describe('what one request may spend', () => {
  const at = (time: string) => ({ dateTime: `2029-01-01T${time}:00Z`, timeZone: 'UTC' });
  const rare = {
    start: at('10:00'),
    end: at('10:30'),
    recurrence: ['RRULE:FREQ=MINUTELY;INTERVAL=1438;BYHOUR=10;BYMINUTE=0'],
  };
  const long = {
    ...hour,
    attendees: many(100, (index) => ({ email: `guest${index}@example.org`, displayName: text(4000) })),
  };
  const named = (name: string, count: number, body: object) =>
    many(count, (index) => ({ id: `${name}${index}`, ...body }));
  const seed = { calendars: people(named('rare', 30, rare), named('long', 30, long)) };
  const gateway = useEvents({ seed });

  const starts = (index: number): string =>
    `events(calendarId: "${alice}", singleEvents: true, orderBy: startTime, first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const instances = (index: number): string =>
    `instances(calendarId: "${alice}", eventId: "rare0", first: 1, timeMin: "${2100 + index * 70}-01-01T00:00:00Z")`;
  const search = (index: number): string => `events(calendarId: "${bob}", q: "nothing${index}", first: 1)`;
  const plain = (): string => `events(calendarId: "${bob}", first: 1)`;

  /** Which of these lists, all of one request, were refused, and how. */
  async function refused(...lists: readonly string[]): Promise<string[]> {
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
    ['occurrences', [...many(14, starts), instances(0)], 'timeMax'],
    ['a search', many(15, search), 'q'],
  ])('on %s is shared by its lists: one alone is answered, of many not all', async (_what, lists, path) => {
    for (const index of [13, 14]) expect(await refused(lists[index] as string)).toEqual([]);
    const told = await refused(...lists, plain());
    expect(told.length).toBeGreaterThan(5);
    expect(told).toEqual(
      many(told.length, (index) => `f${15 - told.length + index} BAD_USER_INPUT ${path} tooMany`),
    );
  });

  test('is not charged for what is listed', async () => {
    expect(await refused(...many(100, plain))).toEqual([]);
  });
});
