import { spawnSync } from 'node:child_process';
import { createAddressRules } from '../../src/adapters/webhook/address-rules.ts';
import { fc } from '../property.ts';
import { findPython } from '../python.ts';
import { chooseLength } from './seed.ts';

const { command, describe: describeWithPython } = findPython('ipaddress', 'python3');

/** Asks Python's `ipaddress` whether each address is public unicast. */
function checkPublicWithPython(addresses: readonly string[]): boolean[] {
  const script = `
import ipaddress, json, sys
addresses = map(ipaddress.ip_address, json.load(sys.stdin))
json.dump([address.is_global and not address.is_multicast for address in addresses], sys.stdout)`;
  const { stdout, stderr } = spawnSync(command ?? 'python3', ['-c', script], {
    input: JSON.stringify(addresses),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  if (stderr !== '') throw new Error(stderr);
  return JSON.parse(stdout) as boolean[];
}

/**
 * Ranges that Python calls global and the rules refuse: IPv6 outside the allocated 2000::/3, exceptions within protocol
 * ranges, 6to4 and its relays, and 3fff::/20, which older versions do not know.
 */
const stricterRules = createAddressRules([
  ...['192.0.0.0/24', '192.88.99.0/24', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/23', '2002::/16'],
  ...['3fff::/20', '::/3', '4000::/2', '8000::/1'],
]);

/** First addresses of special IPv4 ranges and of the ranges behind them: faults are likely near these. */
const rangeStarts = [
  ...['0.0.0.0', '10.0.0.0', '100.64.0.0', '127.0.0.0', '169.254.0.0', '172.16.0.0', '172.32.0.0'],
  ...['192.0.2.0', '192.168.0.0', '198.18.0.0', '198.20.0.0', '198.51.100.0', '203.0.113.0'],
  ...['224.0.0.0', '240.0.0.0'],
];
const ipv4ToNumber = (address: string): number =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
const numberToIpv4 = (number: number): string =>
  [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
const anyIpv4 = fc.oneof(
  fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(numberToIpv4),
  fc
    .tuple(fc.constantFrom(...rangeStarts), fc.integer({ min: -300, max: 300 }))
    .map(([rangeStart, offset]) => numberToIpv4((ipv4ToNumber(rangeStart) + offset) >>> 0)),
);
const otherGroups = fc.array(
  fc.oneof(fc.constant(0), fc.constant(0xffff), fc.integer({ min: 0, max: 0xffff })),
  {
    minLength: 7,
    maxLength: 7,
  },
);
const firstGroup = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(
    ...[0, 0x64, 0x2000, 0x2001, 0x2002, 0x2606, 0x3ffe, 0x3fff, 0x4000],
    ...[0xfc00, 0xfe80, 0xfec0, 0xff02],
  ),
);
const anyIpv6 = fc.oneof(
  fc.tuple(firstGroup, otherGroups).map((groups) =>
    groups
      .flat()
      .map((group) => group.toString(16))
      .join(':'),
  ),
  fc
    .tuple(firstGroup, fc.integer({ min: 0, max: 0xffff }))
    .map(([firstPart, lastPart]) => `${firstPart.toString(16)}::${lastPart.toString(16)}`),
  fc
    .tuple(fc.constantFrom('::', '::ffff:', '::FFFF:', '::ffff:0:', '64:ff9b::', '2001::', '2606::'), anyIpv4)
    .map((prefixAndAddress) => prefixAndAddress.join('')),
  fc.integer({ min: 0, max: 0x1ff }).map((group) => `2001:${group.toString(16)}::1`),
);

describeWithPython('address rules compared with Python', () => {
  test('allow exactly the public addresses', () => {
    const addresses = fc.sample(fc.oneof(anyIpv4, anyIpv6), chooseLength(2000, 20_000));
    const rules = createAddressRules([]);
    const differingAddresses = checkPublicWithPython(addresses).flatMap((isPublic, index) => {
      const address = addresses[index] as string;
      const isAllowed = rules.refusalOf(address, 'https:') === undefined;
      // The rules may refuse an address that Python calls global only in the ranges of `stricterRules`.
      const isExpected = isPublic && (isAllowed || stricterRules.refusalOf(address, 'http:') !== undefined);
      return isAllowed === isExpected ? [] : [address];
    });
    expect(differingAddresses).toEqual([]);
  });
});
