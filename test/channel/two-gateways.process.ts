import { setTimeout as pause } from 'node:timers/promises';
import { startReceiver, type Receiver } from '../adapters/webhook/receiver.ts';
import { eventually } from '../eventually.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { useCloser } from '../use-resource.ts';

const maxAnnounceMs = 15_000;
const bob = 'bob@example.com';
const watchMutation = `mutation ($channel: ChannelInput!) {
  watchCalendar(calendarId: "primary", channel: $channel) { id } }`;
const insertMutation = `mutation ($summary: String!) { insertEvent(calendarId: "primary", event: {
  summary: $summary, start: { date: "2030-01-01" }, end: { date: "2030-01-02" } }) { id } }`;
const shareMutation = `mutation ($role: CalendarAccessRole!) {
  setCalendarAccess(calendarId: "alice@example.com", email: "${bob}", role: $role) { email } }`;
const watchAlice = watchMutation.replace('"primary"', '"alice@example.com"');

describeWithPostgres('channels of two gateways on one database', () => {
  const { createMigratedUrl } = usePostgres();
  const closeLater = useCloser();
  const openReceiver = async (...receiverArguments: Parameters<typeof startReceiver>): Promise<Receiver> =>
    closeLater(await startReceiver(...receiverArguments));
  const messageNumbersOf = ({ received }: Receiver): number[] =>
    received.map(({ headers }) => Number(headers['x-goog-message-number']));

  test('each change is announced within 15 s, once, also if the gateway that sends it is killed', async () => {
    const token = await tokenFor('alice@example.com');
    const env = { DATABASE_URL: await createMigratedUrl(), CHANNELS: 'on', WEBHOOK_NETWORKS: '127.0.0.0/8' };
    const gateways = await Promise.all([startGatewayProcess(env), startGatewayProcess(env)]);
    for (const gateway of gateways) closeLater({ close: () => gateway.kill() });
    const [first, second] = gateways;
    let isSilent = false;
    const receiver = await openReceiver((_request, response) => {
      // A silent receiver keeps the claim of the gateway that sends.
      if (!isSilent) response.writeHead(204).end();
    });
    const bobsReceiver = await openReceiver();
    await first.ask(token, shareMutation, { role: 'reader' });
    await first.ask(token, watchMutation, { channel: { id: '1', address: receiver.url.href } });
    await second.ask(await tokenFor(bob), watchAlice, {
      channel: { id: '1', address: bobsReceiver.url.href },
    });
    await eventually(async () => expect([receiver, bobsReceiver].map(messageNumbersOf)).toEqual([[1], [1]]));

    /** Changes the calendar, waits for the message, and returns the milliseconds in between. */
    async function measureAnnouncementMs(gateway: GatewayProcess, summary: string): Promise<number> {
      const [countBefore, changedAt] = [receiver.received.length, Date.now()];
      expect((await gateway.ask(token, insertMutation, { summary }))?.status).toBe(200);
      await eventually(async () => expect(receiver.received.length).toBeGreaterThan(countBefore));
      return Date.now() - changedAt;
    }
    for (const gateway of gateways)
      expect(await measureAnnouncementMs(gateway, 'before')).toBeLessThan(maxAnnounceMs);
    await eventually(async () => expect(bobsReceiver.received.length).toBeGreaterThanOrEqual(2));

    // Waits until Bob gets no more messages. Then losing access ends his channel.
    let bobsMessageCount = 0;
    while (bobsMessageCount < bobsReceiver.received.length) {
      bobsMessageCount = bobsReceiver.received.length;
      await pause(3_000);
    }
    await first.ask(token, shareMutation, { role: 'none' });
    await second.kill();
    // The silent receiver keeps the claim of the only gateway, which is killed after another has started.
    isSilent = true;
    await measureAnnouncementMs(first, 'unanswered');
    isSilent = false;
    const receivedBefore = receiver.received.length;
    const third = await startGatewayProcess(env);
    closeLater({ close: () => third.kill() });
    const killedAt = Date.now();
    await first.kill();
    await eventually(async () => expect(receiver.received.length).toBeGreaterThan(receivedBefore));
    expect(Date.now() - killedAt).toBeLessThan(maxAnnounceMs);
    expect(await measureAnnouncementMs(third, 'after the kill')).toBeLessThan(maxAnnounceMs);
    const numbers = messageNumbersOf(receiver);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(bobsReceiver.received.length).toBe(bobsMessageCount);
  });
});
