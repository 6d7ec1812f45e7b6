import { isIPv6 } from 'node:net';

const mappedIpv4 = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** True for a host name or an address (IPv6 with or without brackets) of the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** Key of a client's network: an IPv4 address (also mapped to IPv6), or the first 64 bits of IPv6; '' for a closed connection. */
export function networkOf(address = ''): string {
  const [, ipv4] = mappedIpv4.exec(address) ?? [];
  if (ipv4 !== undefined || !isIPv6(address)) return ipv4 ?? address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter(Boolean);
  const last = tail.split(':').filter(Boolean);
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
