import { createAddressRules } from '../../../src/adapters/webhook/address-rules.ts';

const { refusalOf, refusalOfName } = createAddressRules([]);

test.each<[string, string]>([
  ['this network', '0.0.0.0 0.255.255.255'],
  ['private', '10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.255.255 fc00::1 fd00:ec2::254'],
  ['shared', '100.64.0.0 100.127.255.255'],
  ['loopback', '127.0.0.1 127.255.255.255 ::1 0:0:0:0:0:0:0:1'],
  ['link-local', '169.254.169.254 fe80::1'],
  ['for protocols', '192.0.0.8 2001:2::1 2001:1ff:ffff::1'],
  ['for documentation', '192.0.2.1 198.51.100.7 203.0.113.7 2001:db8::1 3fff:fff::1'],
  ['for 6to4 relays', '192.88.99.1'],
  ['for benchmarks', '198.18.0.0 198.19.255.255'],
  ['multicast', '224.0.0.1 239.255.255.255 ff02::1'],
  ['reserved', '240.0.0.0 255.255.255.255 100::1 1fff:ffff:: 4000:: 5f00::1 fec0::1'],
  ['IPv4 in IPv6', ':: ::8.8.8.8 ::ffff:8.8.8.8 ::FFFF:127.0.0.1 0000:0000:0000:0000:0000:ffff:7f00:0001'],
  ['IPv4 in IPv6', '::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1:ffff::1 2001::1'],
  ['IPv4 in IPv6', '2002:7f00:1::'],
  ['no address of the Internet', 'fe80::1%eth0 2606:4700::1111%1 localhost 0177.0.0.1 2130706433 127.1'],
])('addresses that are %s are refused', (addressKind, addresses) => {
  for (const address of addresses.split(' '))
    expect([address, ...['https:', 'http:'].map((scheme) => refusalOf(address, scheme))]).toEqual([
      address,
      `is not allowed: ${addressKind}`,
      `is not allowed: ${addressKind}`,
    ]);
});

test('the empty address is refused', () => {
  expect(refusalOf('', 'https:')).toBe('is not allowed: no address of the Internet');
});

test.each([
  ['IPv4', '1.0.0.0 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0'],
  ['IPv4', '169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0'],
  ['IPv4', '198.17.255.255 198.20.0.0 223.255.255.255'],
  ['IPv6', '2000:: 2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 3ffe:ffff::1 3fff:1000::1'],
])('public addresses of %s are allowed with TLS only', (_version, addresses) => {
  for (const address of addresses.split(' '))
    expect([address, refusalOf(address, 'https:'), refusalOf(address, 'http:')]).toEqual([
      address,
      undefined,
      'is not in WEBHOOK_NETWORKS, so it needs https',
    ]);
});

test('addresses in WEBHOOK_NETWORKS are allowed, others are not', () => {
  const rules = createAddressRules('10.1.0.0/16 127.0.0.1 93.184.216.0/24 fd00::/8 ::ffff:0:0/96'.split(' '));
  for (const address of '10.1.0.0 10.1.255.255 127.0.0.1 93.184.216.34 fd12::1 ::ffff:127.0.0.2'.split(' '))
    for (const scheme of ['http:', 'https:'])
      expect([address, rules.refusalOf(address, scheme)]).toEqual([address, undefined]);
  for (const address of '10.0.255.255 10.2.0.0 127.0.0.2 fc00::1 64:ff9b::a01:1 fd12::1%1'.split(' '))
    expect([address, rules.refusalOf(address, 'https:')]).toEqual([address, expect.any(String)]);
  expect(rules.refusalOf('93.184.217.1', 'http:')).toBeDefined();
});

test('an IPv4 network includes no IPv6 address, and vice versa', () => {
  const ipv4Rules = createAddressRules(['0.0.0.0/0']);
  expect(ipv4Rules.refusalOf('127.0.0.1', 'http:')).toBeUndefined();
  for (const address of ['::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
    expect(ipv4Rules.refusalOf(address, 'https:')).toBeDefined();
  const ipv6Rules = createAddressRules(['::/0']);
  expect(ipv6Rules.refusalOf('::1', 'http:')).toBeUndefined();
  expect(ipv6Rules.refusalOf('127.0.0.1', 'http:')).toBeDefined();
});

test('a host name without TLS needs a network in WEBHOOK_NETWORKS', () => {
  expect(refusalOfName('https:')).toBeUndefined();
  expect(refusalOfName('http:')).toContain('WEBHOOK_NETWORKS');
  expect(createAddressRules(['10.0.0.0/8']).refusalOfName('http:')).toBeUndefined();
});
