import { readFileSync } from 'node:fs';
import { eventually } from '../../eventually.ts';
import { demoNow, startGateway } from '../../harness.ts';
import { describeWithPostgres, queryOnce, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../use-resource.ts';

const dump = readFileSync(new URL('../../fixtures/database-0006.sql', import.meta.url), 'utf8');
const [alice, bob, dora] = ['alice@example.com', 'bob@example.com', 'dora@example.com'] as const;
/** Sync token that the earlier version issued after all changes in the dump. */
const syncToken =
  'GgMOyXYxo9HzgkJSsClz1ltCa2I_ggCq-PcmvBmTQv9L0gP0x5H9ytTEZ6mHhrPTDPT3d0vx84EGtUD9H2eqgZrHjzpyILoF24EWCigxRBkfwSTKS9WHuGpbG6ddAbuBq122DrcoUghRtHI50nJwDo4iDxxFtQrnrppjWG0UGOiUU4Zo52GeGgPIBaHwkVPYA0Vk6pPLWYAjk41G';

describeWithPostgres('a database of an earlier version', () => {
  const { createEmptyUrl } = usePostgres();
  const gateway = useForAll(async () => {
    const url = await createEmptyUrl();
    await queryOnce(url, dump);
    return startGateway({ DATABASE_URL: url }, { clock: () => demoNow });
  });

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as `Answer.data`
  const askWithoutErrors = async (callerEmail: string, query: string): Promise<any> => {
    const { data, errors } = await gateway.ask(query, {}, { as: callerEmail });
    expect(errors).toBeUndefined();
    return data;
  };

  test('keeps its etags and sync tokens', async () => {
    const { events } = await askWithoutErrors(
      alice,
      `{ events(calendarId: "primary", syncToken: "${syncToken}") { nodes { id } } }`,
    );
    expect(events.nodes).toEqual([]);
    const { event } = await askWithoutErrors(
      bob,
      '{ event(calendarId: "primary", eventId: "planning_20261214T090000Z") { summary start { dateTime } } }',
    );
    expect(event).toEqual({ summary: 'Planning, moved', start: { dateTime: '2026-12-15T10:00:00+01:00' } });
    const tradeFair = await askWithoutErrors(
      alice,
      '{ event(calendarId: "primary", eventId: "tradefair") { etag } }',
    );
    expect(tradeFair.event.etag).toBe('"mx3xkao0.mx3xkao0"');
  });

  test('has calendars that can be changed, and moves all-day events to a new time zone', async () => {
    const { calendar } = await askWithoutErrors(
      alice,
      '{ calendar(calendarId: "primary") { id summary etag created primary } }',
    );
    const etag = expect.stringMatching(/^".+"$/) as string;
    expect(calendar).toEqual({ id: alice, summary: alice, etag, created: null, primary: true });
    const tradeFairQuery =
      '{ events(calendarId: "primary", timeMin: "2026-12-09T11:00:00Z", timeMax: "2026-12-09T12:00:00Z") { nodes { id } } }';
    expect((await askWithoutErrors(alice, tradeFairQuery)).events.nodes).toEqual([]);
    await askWithoutErrors(
      alice,
      `mutation { patchCalendar(calendarId: "primary", ifMatch: ${JSON.stringify(calendar.etag)}, calendar: { timeZone: "Pacific/Kiritimati" }) { timeZone } }`,
    );
    expect((await askWithoutErrors(alice, tradeFairQuery)).events.nodes).toEqual([{ id: 'tradefair' }]);
  });

  test('shows earlier invitations on a calendar that is created now', async () => {
    const listQuery =
      '{ events(calendarId: "primary", singleEvents: true, orderBy: startTime) { nodes { summary } } }';
    const invitedSummaries = ['Planning', 'Fair', 'Planning, moved', 'Planning', 'Planning'];
    const nodes = invitedSummaries.map((summary) => ({ summary }));
    await eventually(async () => expect((await askWithoutErrors(dora, listQuery)).events).toEqual({ nodes }));
  });

  test('has buckets that are listed, and whose notification ids continue', async () => {
    const { buckets } = await askWithoutErrors(
      alice,
      '{ buckets(project: "demo-project") { nodes { name metageneration } } }',
    );
    const nodes = ['demo-archive', 'demo-photos'].map((name) => ({ name, metageneration: '1' }));
    expect(buckets).toEqual({ nodes });
    const { insertNotification } = await askWithoutErrors(
      alice,
      'mutation { insertNotification(bucket: "demo-photos", notification: { topic: "projects/demo-project/topics/third" }) { id } }',
    );
    expect(insertNotification.id).toBe('3');
  });
});
