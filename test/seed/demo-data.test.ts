import { compose } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { sampleSets } from '../../src/seed/demo-data.ts';

/** Runs the sample query Events on a demo that starts at a time. */
async function listSampleEvents(startTime: string): Promise<string[]> {
  const clock = (): number => Date.parse(startTime);
  const settings = { clock, logLevel: 'silent', processMetrics: false } as const;
  const { app, demoToken } = await compose(readConfig({}), settings);
  const [{ document, variables } = { document: '', variables: {} }] = sampleSets(clock());
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

describe("the demo's data", () => {
  test.each<[string, string, string, string]>([
    ['on a Monday', '2027-06-07T08:00:00Z', '2027-06-08', '+02:00'],
    ['on a Sunday', '2027-06-13T20:00:00Z', '2027-06-08', '+02:00'],
    ['on a Monday of Berlin that is a Sunday in UTC', '2027-06-13T22:30:00Z', '2027-06-15', '+02:00'],
    ['before a clock change', '2027-03-26T08:00:00Z', '2027-03-23', '+01:00'],
    ['at the end of a year', '2027-12-31T12:00:00Z', '2027-12-28', '+01:00'],
  ])('are in the week in which the demo starts: %s', async (_when, startTime, tuesday, offset) => {
    const day = (after: number): string =>
      new Date(Date.parse(tuesday) + after * 86_400_000).toISOString().slice(0, 10);
    const standup = (date: string): string =>
      `standup_${date.replaceAll('-', '')}T0${9 - Number(offset.slice(2, 3))}0000Z ${date}T09:00:00${offset}`;
    expect(await listSampleEvents(startTime)).toEqual([
      standup(day(0)),
      `teammeeting ${tuesday}T10:00:00${offset}`,
      standup(day(1)),
      `review ${day(1)}T14:00:00${offset}`,
      'conference null',
      `oneonone_${day(2).replaceAll('-', '')}T${16 - Number(offset.slice(2, 3))}0000Z ${day(2)}T16:00:00${offset}`,
      standup(day(3)),
      `callabroad ${day(3)}T17:00:00${offset}`,
      'birthday null',
    ]);
  });
});
