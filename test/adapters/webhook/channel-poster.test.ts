import type { ChannelDelivery } from '../../../src/channel/channel.store.ts';
import { createAddressRules } from '../../../src/adapters/webhook/address-rules.ts';
import { createChannelPoster, resolveWithoutThreads } from '../../../src/adapters/webhook/channel-poster.ts';
import { useCloser } from '../../use-resource.ts';
import { rules, startReceiver, startSockets } from './receiver.ts';

const { signal } = new AbortController();
const headers = { 'X-Goog-Channel-ID': '1' };

describe('the poster of channels', () => {
  const closeLater = useCloser();
  const createPoster = (options: Partial<Parameters<typeof createChannelPoster>[0]> = {}) => {
    const poster = createChannelPoster({ rules, ...options });
    closeLater({ close: () => poster.close() });
    return poster;
  };
  const openReceiver = async (...receiverArguments: Parameters<typeof startReceiver>) =>
    closeLater(await startReceiver(...receiverArguments));
  const describeDelivery = (delivery: ChannelDelivery): string =>
    'cause' in delivery ? delivery.cause.message : delivery.outcome;

  test('posts the headers without a body, each message on its own connection', async () => {
    const receiver = await openReceiver();
    const poster = createPoster();
    const { href: address } = receiver.url;
    expect(await poster.send({ address, headers }, signal)).toEqual({ outcome: 'delivered' });
    expect(await poster.send({ address, headers }, signal)).toEqual({ outcome: 'delivered' });
    expect(receiver.received).toHaveLength(2);
    expect(receiver.received[0]).toMatchObject({
      method: 'POST',
      path: '/hook?token=hidden',
      headers: { 'x-goog-channel-id': '1', 'content-length': '0', connection: 'close' },
      body: '',
    });
    expect(receiver.connections()).toBe(2);
  });

  test.each([
    [204, 'delivered'],
    [299, 'delivered'],
    [302, 'failed'],
    [400, 'failed'],
    [404, 'gone'],
    [410, 'gone'],
    [503, 'failed'],
  ])('a response with status %i is "%s"', async (status, outcome) => {
    const receiver = await openReceiver((_request, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/', 'retry-after': '7' }).end(),
    );
    const delivery = await createPoster().send({ address: receiver.url.href, headers }, signal);
    expect(delivery).toMatchObject({ outcome, ...(outcome !== 'delivered' && { retryAfterMs: 7000 }) });
    expect(receiver.received).toHaveLength(1);
  });

  test('describes a failure in its own words', async () => {
    const silentServer = closeLater(await startSockets(() => undefined));
    const poster = createPoster({ timeoutMs: 50 });
    expect(await poster.send({ address: silentServer.url.href, headers }, signal)).toMatchObject({
      outcome: 'failed',
      cause: { message: 'no response within 0.05 s' },
    });
  });

  test.each([
    ['http://127.0.0.1:PORT/', [], 'the address 127.0.0.1 is not allowed: loopback'],
    [
      'http://inside.example.com:PORT/',
      ['10.0.0.0/8'],
      'the name leads to 127.0.0.1, which is not allowed: loopback',
    ],
    ['http://inside.example.com:PORT/', ['127.0.0.1'], 'delivered'],
    ['https://inside.example.com:PORT/', [], 'the name leads to 127.0.0.1, which is not allowed: loopback'],
  ])('a post to %s with the networks %j ends with: %s', async (urlPattern, networks, expected) => {
    const receiver = await openReceiver();
    const poster = createPoster({
      rules: createAddressRules(networks),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const address = urlPattern.replace('PORT', String(receiver.port));
    expect(describeDelivery(await poster.send({ address, headers }, signal))).toBe(expected);
    expect(receiver.received).toHaveLength(expected === 'delivered' ? 1 : 0);
  });

  test('has at most ten connections to a host, even while it keeps them open', async () => {
    const stallingServer = closeLater(
      await startSockets((socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n')),
      ),
    );
    const poster = createPoster();
    let maxOpenSockets = 0;
    const deliveries = await Promise.all(
      Array.from({ length: 25 }, async () => {
        const delivery = await poster.send({ address: stallingServer.url.href, headers }, signal);
        maxOpenSockets = Math.max(maxOpenSockets, stallingServer.openSockets());
        return delivery.outcome;
      }),
    );
    expect(deliveries).toEqual(deliveries.map(() => 'delivered'));
    expect(maxOpenSockets).toBeLessThanOrEqual(10);
  });

  test('resolves names of the hosts file, and fails for names that do not exist', async () => {
    expect((await resolveWithoutThreads('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
    await expect(resolveWithoutThreads('name.invalid')).rejects.toBeInstanceOf(Error);
  });
});
