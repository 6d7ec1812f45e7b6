import { isIPv6 } from 'node:net';

const mappedIpv4 = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether a host name or an address (IPv6 with or without brackets) is a loopback of this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/** An IPv4 address (of `::ffff:192.0.2.1` too), or the first 64 bits of an IPv6 address; '' for a closed connection, which has none. */
export function networkOf(address = ''): string {
  const [, four] = mappedIpv4.exec(address) ?? [];
  if (four !== undefined || !isIPv6(address)) return four ?? address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter(Boolean);
  const last = tail.split(':').filter(Boolean);
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
