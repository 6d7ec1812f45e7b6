import { createClient as createStream } from 'graphql-sse';
import { createClient as createFetch } from '../../examples/clients/fetch.ts';
import { patchEvent } from '../../examples/clients/operations.ts';
import { followCalendars } from '../../examples/clients/sync-many.ts';
import type { Replica } from '../../examples/clients/sync.ts';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForEach } from '../use-resource.ts';
import { putCalendar } from '../contracts/event-samples.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const calendarIds = ['one', 'two', 'three'].map((name) => `${name}@example.com`);
const meetingTimes = {
  start: { dateTime: '2030-12-01T10:00:00Z' },
  end: { dateTime: '2030-12-01T11:00:00Z' },
};
const seed = {
  calendars: calendarIds.map((id) => ({
    id,
    owner: alice,
    timeZone: 'UTC',
    acl: [{ email: bob, role: 'reader' }],
    events: [{ id: 'meeting', iCalUID: id, summary: `Meeting of ${id}`, ...meetingTimes }],
  })),
};

describe('several calendars on one stream', () => {
  const gateway = useForEach(() => startListening({}, { seed }));

  const openBobsStream = async () => {
    const headers = { authorization: `Bearer ${await tokenFor(bob)}` };
    return createStream({ url: `${gateway.url}/stream`, headers, retryAttempts: 0 });
  };

  test('are read first, then after each change, and dropped when access is revoked', async () => {
    const stream = await openBobsStream();
    const replicas = new Map(
      calendarIds.map((id): [string, Replica] => [id, { events: new Map(), syncToken: undefined }]),
    );
    const changes = followCalendars(stream, createFetch(gateway.url, await tokenFor(bob)), replicas);
    const send = createFetch(gateway.url, await tokenFor(alice));
    const renameMeeting = (calendarId: string, summary: string) =>
      send(patchEvent, { calendarId, eventId: 'meeting', event: { summary } });
    const nextChange = async () => {
      const id = (await changes.next()).value as string;
      return [id, ...[...(replicas.get(id)?.events.values() ?? [])].map(({ summary }) => summary)];
    };
    for (const id of calendarIds) expect(await nextChange()).toEqual([id, `Meeting of ${id}`]);
    await renameMeeting('two@example.com', 'Moved');
    expect(await nextChange()).toEqual(['two@example.com', 'Moved']);
    const [calendar] = await gateway.stores.calendars.calendars([{ id: 'three@example.com' }]);
    if (calendar) await putCalendar(gateway.stores.calendars, { ...calendar, acl: [] });
    await renameMeeting('three@example.com', 'Secret');
    expect(await nextChange()).toEqual(['three@example.com']);
    await renameMeeting('one@example.com', 'Still here');
    expect(await nextChange()).toEqual(['one@example.com', 'Still here']);
    expect([...replicas.keys()]).toEqual(['one@example.com', 'two@example.com']);
    await changes.return(undefined);
    stream.dispose();
  });

  test('end with the reason if a calendar does not exist', async () => {
    const stream = await openBobsStream();
    const replicas = new Map([['nobody@example.com', { events: new Map(), syncToken: undefined }]]);
    await expect(
      followCalendars(stream, createFetch(gateway.url, await tokenFor(bob)), replicas).next(),
    ).rejects.toThrow('There is no such calendar.');
    stream.dispose();
  });
});
