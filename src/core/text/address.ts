import * as z from 'zod/mini';
import { isIPv6 } from 'node:net';
import { hostLabel } from './google-names.ts';

const mappedIpv4 = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/;

/** Whether a host name or an address (IPv6 with or without brackets) is a loopback of this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}

/**
 * The network of one client: an IPv4 address, also a mapped one (`::ffff:192.0.2.1`), or the first 64 bits of an IPv6
 * address. A closed connection has no address: ''.
 */
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

/** Names of hosts (RFC 1123): the last label is not a number, or the name would be read as an address. */
const hostName = new RegExp(`^(?:${hostLabel}\\.)*(?!\\d+$)${hostLabel}$`);
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([1-9]\d{0,4}))?$/;
const ipv4 = z.ipv4();
const ipv6 = z.ipv6();

/**
 * The canonical form of a host and its port, in which topics are stored and compared: lower case, without the dot of the root.
 * Undefined for anything that is no host.
 */
export function canonicalHost(value: string): string | undefined {
  const [, given = '', port] = hostAndPort.exec(value) ?? [];
  const name = given.toLowerCase().replace(/\.$/, '');
  if (Number(port ?? 0) > 65535) return undefined;
  const isAddress = name.startsWith('[')
    ? ipv6.safeParse(name.slice(1, -1)).success
    : ipv4.safeParse(name).success;
  if (!isAddress && (name.length > 253 || !hostName.test(name))) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}
