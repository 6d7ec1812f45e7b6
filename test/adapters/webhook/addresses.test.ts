import type { LookupAddress } from 'node:dns';
import { createAddressRules } from '../../../src/adapters/webhook/address-rules.ts';
import { createMessage, neverAborted } from '../../contracts/publisher.contract.ts';
import { createTestPublisher, rules, startReceiver } from './receiver.ts';
import { useForAll } from '../../use-resource.ts';

/** Rules without WEBHOOK_NETWORKS: they refuse loopback and private addresses. */
const strictRules = createAddressRules([]);
const toLookupAddresses = (...addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const receiver = useForAll(() => startReceiver());

type Publisher = ReturnType<typeof createTestPublisher>;
const publish = (publisher: Publisher): Promise<string> =>
  publisher.publish(createMessage('t'), neverAborted).then(
    ({ outcome }) => outcome,
    ({ message }: Error) => message,
  );

/** Publishes a message to a host and describes the outcome. */
async function publishTo(host: string, options: Parameters<typeof createTestPublisher>[1]): Promise<string> {
  const publisher = createTestPublisher(`http://${host}:${receiver.port}/`, options);
  return publish(publisher).finally(() => publisher.close());
}

test('the publisher resolves a name and connects to its address', async () => {
  const resolve = async (name: string) => (name === 'hooks.example' ? toLookupAddresses('127.0.0.1') : []);
  expect(await publishTo('hooks.example', { resolve })).toBe('done');
  expect(receiver.received.at(-1)?.headers.host).toBe(`hooks.example:${receiver.port}`);
  expect(await publishTo('localhost', {})).toMatch(/^done$|::1/);
});

test.each([
  ['127.0.0.1', 'the name leads to 127.0.0.1, which is not allowed: loopback'],
  ['::1', 'the name leads to ::1, which is not allowed: loopback'],
  ['::ffff:127.0.0.1', 'the name leads to ::ffff:127.0.0.1, which is not allowed: IPv4 in IPv6'],
  ['169.254.169.254', 'the name leads to 169.254.169.254, which is not allowed: link-local'],
  ['93.184.216.34', 'the name leads to 93.184.216.34, which is not in WEBHOOK_NETWORKS, so it needs https'],
])('a name that resolves to %s is refused', async (address, message) => {
  const connectionsBefore = receiver.connections();
  const resolve = async () => toLookupAddresses(address);
  expect(await publishTo('hooks.example', { rules: strictRules, resolve })).toBe(message);
  expect(receiver.connections()).toBe(connectionsBefore);
});

test('all addresses of a name are checked', async () => {
  const connectionsBefore = receiver.connections();
  expect(
    await publishTo('hooks.example', { resolve: async () => toLookupAddresses('127.0.0.1', '10.0.0.1') }),
  ).toBe('the name leads to 10.0.0.1, which is not allowed: private');
  expect(await publishTo('hooks.example', { resolve: async () => [] })).toBe('the name cannot be resolved');
  expect(receiver.connections()).toBe(connectionsBefore);
});

test('localhost is refused unless WEBHOOK_NETWORKS allows it', async () => {
  const refusal =
    /^the name (leads to (127\.0\.0\.1|::1), which is not allowed: loopback|cannot be resolved)$/;
  const connectionsBefore = receiver.connections();
  for (const host of ['localhost', 'localhost.', 'LOCALHOST'])
    expect(await publishTo(host, { rules: strictRules })).toMatch(refusal);
  expect(receiver.connections()).toBe(connectionsBefore);
});

test('a name is resolved and checked again for every connection (DNS rebinding)', async () => {
  const closingReceiver = await startReceiver((_request, response) =>
    response.writeHead(204, { connection: 'close' }).end(),
  );
  const addressesToReturn = ['127.0.0.1', '127.0.0.2', '10.0.0.1'];
  const publisher = createTestPublisher(`http://rebound.example:${closingReceiver.port}/`, {
    rules: createAddressRules(['127.0.0.1']),
    resolve: async () => toLookupAddresses(addressesToReturn.shift() ?? '127.0.0.1'),
  });
  const outcomes = [];
  for (let index = 0; index < 4; index += 1) outcomes.push(await publish(publisher));
  expect(outcomes).toEqual([
    'done',
    'the name leads to 127.0.0.2, which is not allowed: loopback',
    'the name leads to 10.0.0.1, which is not allowed: private',
    'done',
  ]);
  expect(closingReceiver.received).toHaveLength(2);
  await publisher.close();
  await closingReceiver.close();
});

test('an address in the URL is checked when connecting, before anything is sent', async () => {
  const receivedBefore = receiver.received.length;
  // Notations of 127.0.0.1 that a URL may have.
  for (const host of '127.0.0.1 2130706433 0x7f.1 0177.0.0.1 127.1 127.0.0.1. １２７.0.0.1'.split(' ')) {
    expect(await publishTo(host, { rules: strictRules })).toBe(
      'the address 127.0.0.1 is not allowed: loopback',
    );
    expect(await publishTo(host, { rules })).toBe('done');
  }
  expect(receiver.received).toHaveLength(receivedBefore + 7);
});
