import { isIPv6 } from 'node:net';

const ipv4 = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether a host name or address (an IPv6 one with or without brackets) is this machine's own. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/**
 * The part of an IP address that one customer of a network has: an IPv4 address as a whole, the first 64 bits of an
 * IPv6 one. An IPv4 address that is written as an IPv6 one is the IPv4 address. A connection that is gone has none: ''.
 */
export function networkOf(address = ''): string {
  const [, four] = ipv4.exec(address) ?? [];
  if (four !== undefined || !isIPv6(address)) return four ?? address;
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const first = head.split(':').filter(Boolean);
  const last = tail.split(':').filter(Boolean);
  const groups = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return `${groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
