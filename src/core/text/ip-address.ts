import { isIPv6 } from 'node:net';

/** An IPv4 address, alone or at the end of the IPv6 address that it is mapped to. */
const mappedIpv4Pattern = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Number of groups of 16 bits in an IPv6 address, and in its network. */
const groupCount = 8;
const networkGroupCount = 4;

/** True for a host name or an address (IPv6 with or without brackets) of the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** Returns the key of a client's network: an IPv4 address (also mapped to IPv6), or the first 64 bits of IPv6; '' for a closed connection. */
export function networkKeyOf(address = ''): string {
  const [, ipv4] = mappedIpv4Pattern.exec(address) ?? [];
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const headGroups = head.split(':').filter(Boolean);
  const tailGroups = tail.split(':').filter(Boolean);
  const zeroGroups = Array<string>(groupCount - headGroups.length - tailGroups.length).fill('0');
  return `${[...headGroups, ...zeroGroups, ...tailGroups]
    .slice(0, networkGroupCount)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
