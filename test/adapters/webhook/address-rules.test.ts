import { createAddressRules } from '../../../src/adapters/webhook/address-rules.ts';

const { refusalOf, refusalOfName } = createAddressRules([]);

test.each<[string, string]>([
  ['0.0.0.0', 'this network'],
  ['0.255.255.255', 'this network'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'shared'],
  ['100.127.255.255', 'shared'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.8', 'for protocols'],
  ['192.0.2.1', 'for documentation'],
  ['192.88.99.1', 'for 6to4 relays'],
  ['192.168.255.255', 'private'],
  ['198.18.0.0', 'for benchmarks'],
  ['198.19.255.255', 'for benchmarks'],
  ['198.51.100.7', 'for documentation'],
  ['203.0.113.7', 'for documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'IPv4 in IPv6'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['::8.8.8.8', 'IPv4 in IPv6'],
  ['::ffff:8.8.8.8', 'IPv4 in IPv6'],
  ['::FFFF:127.0.0.1', 'IPv4 in IPv6'],
  ['0000:0000:0000:0000:0000:ffff:7f00:0001', 'IPv4 in IPv6'],
  ['::ffff:0:127.0.0.1', 'IPv4 in IPv6'],
  ['64:ff9b::7f00:1', 'IPv4 in IPv6'],
  ['64:ff9b::10.0.0.1', 'IPv4 in IPv6'],
  ['64:ff9b:1:ffff::1', 'IPv4 in IPv6'],
  ['100::1', 'reserved'],
  ['1fff:ffff::', 'reserved'],
  ['2001::1', 'IPv4 in IPv6'],
  ['2001:2::1', 'for protocols'],
  ['2001:1ff:ffff::1', 'for protocols'],
  ['2001:db8::1', 'for documentation'],
  ['2002:7f00:1::', 'IPv4 in IPv6'],
  ['3fff:fff::1', 'for documentation'],
  ['4000::', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'reserved'],
  ['ff02::1', 'multicast'],
  ['fe80::1%eth0', 'no address of the Internet'],
  ['2606:4700::1111%1', 'no address of the Internet'],
  ['localhost', 'no address of the Internet'],
  ['0177.0.0.1', 'no address of the Internet'],
  ['2130706433', 'no address of the Internet'],
  ['127.1', 'no address of the Internet'],
  ['', 'no address of the Internet'],
])('%s may not be connected to: %s', (address, use) => {
  expect(refusalOf(address, 'https:')).toBe(`is not allowed: ${use}`);
  expect(refusalOf(address, 'http:')).toBe(`is not allowed: ${use}`);
});

test.each([
  '1.0.0.0',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2000::',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2003::1',
  '2606:4700:4700::1111',
  '3ffe:ffff::1',
  '3fff:1000::1',
])('%s may be connected to, by TLS alone', (address) => {
  expect(refusalOf(address, 'https:')).toBeUndefined();
  expect(refusalOf(address, 'http:')).toBe('is not in WEBHOOK_NETWORKS, so it needs https');
});

test('what WEBHOOK_NETWORKS has may be connected to, and nothing beside it', () => {
  const rules = createAddressRules([
    '10.1.0.0/16',
    '127.0.0.1',
    '93.184.216.0/24',
    'fd00::/8',
    '::ffff:0:0/96',
  ]);
  const allowed = ['10.1.0.0', '10.1.255.255', '127.0.0.1', '93.184.216.34', 'fd12::1', '::ffff:127.0.0.2'];
  for (const address of allowed)
    expect([rules.refusalOf(address, 'http:'), rules.refusalOf(address, 'https:')]).toEqual([
      undefined,
      undefined,
    ]);
  for (const address of ['10.0.255.255', '10.2.0.0', '127.0.0.2', 'fc00::1', '64:ff9b::a01:1', 'fd12::1%1'])
    expect(rules.refusalOf(address, 'https:')).toBeDefined();
  expect(rules.refusalOf('93.184.217.1', 'http:')).toBeDefined();
});

test('a network of IPv4 has no address of IPv6, and the other way round', () => {
  const four = createAddressRules(['0.0.0.0/0']);
  expect(four.refusalOf('127.0.0.1', 'http:')).toBeUndefined();
  for (const address of ['::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
    expect(four.refusalOf(address, 'https:')).toBeDefined();
  const six = createAddressRules(['::/0']);
  expect(six.refusalOf('::1', 'http:')).toBeUndefined();
  expect(six.refusalOf('127.0.0.1', 'http:')).toBeDefined();
});

test('a name without TLS needs a network that it may lead to', () => {
  expect(refusalOfName('https:')).toBeUndefined();
  expect(refusalOfName('http:')).toContain('WEBHOOK_NETWORKS');
  expect(createAddressRules(['10.0.0.0/8']).refusalOfName('http:')).toBeUndefined();
});
