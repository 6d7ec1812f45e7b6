import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createSampleSets, findSeedNames } from '../../src/seed/demo-data.ts';

/** Runs the sample query `Events` on a demo that starts at a time, and returns each event as `id start`. */
async function listSampleEvents(startTime: string): Promise<string[]> {
  const clock = (): number => Date.parse(startTime);
  const settings = { clock, logLevel: 'silent', includesProcessMetrics: false } as const;
  const { app, demoToken } = await compose(readConfig({}), settings);
  const [{ document, variables } = { document: '', variables: {} }] = createSampleSets(clock());
  const response = await app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${demoToken}` },
    payload: { query: document, variables, operationName: 'Events' },
  });
  await app.close();
  const { data } = response.json<{
    data: { events: { nodes: { id: string; start: { dateTime: string } }[] } };
  }>();
  return data.events.nodes.map(({ id, start }) => `${id} ${start.dateTime}`);
}

describe("the demo's events", () => {
  test.each<[string, string, string, string]>([
    ['on a Monday', '2027-06-07T08:00:00Z', '2027-06-08', '+02:00'],
    ['on a Sunday', '2027-06-13T20:00:00Z', '2027-06-08', '+02:00'],
    ['on a Monday of Berlin that is a Sunday in UTC', '2027-06-13T22:30:00Z', '2027-06-15', '+02:00'],
    ['before a clock change', '2027-03-26T08:00:00Z', '2027-03-23', '+01:00'],
    ['at the end of a year', '2027-12-31T12:00:00Z', '2027-12-28', '+01:00'],
  ])('are in the week in which the demo starts: %s', async (_when, startTime, tuesday, offset) => {
    const dateAfterTuesday = (days: number): string =>
      new Date(Date.parse(tuesday) + days * 86_400_000).toISOString().slice(0, 10);
    /** An instance with its original start in UTC in its id: `standup_20270608T070000Z`. */
    const expectedInstance = (seriesId: string, date: string, localTime: string): string => {
      const start = `${date}T${localTime}:00${offset}`;
      const originalStart = new Date(start).toISOString().replace('.000', '').replaceAll(/[-:]/g, '');
      return `${seriesId}_${originalStart} ${start}`;
    };
    const expectedStandup = (date: string): string => expectedInstance('standup', date, '09:00');
    expect(await listSampleEvents(startTime)).toEqual([
      expectedStandup(dateAfterTuesday(0)),
      `teammeeting ${tuesday}T10:00:00${offset}`,
      expectedStandup(dateAfterTuesday(1)),
      `review ${dateAfterTuesday(1)}T14:00:00${offset}`,
      'conference null',
      expectedInstance('oneonone', dateAfterTuesday(2), '16:00'),
      expectedStandup(dateAfterTuesday(3)),
      `callabroad ${dateAfterTuesday(3)}T17:00:00${offset}`,
      'birthday null',
    ]);
  });
});

test('the names of a seed skip a bucket without managers', () => {
  const buckets = [{ name: 'unmanaged' }, { name: 'photos', managers: ['alice@example.com'] }];
  expect(findSeedNames({ buckets }).bucket).toBe('photos');
});
