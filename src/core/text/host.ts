import * as z from 'zod/mini';
import { hostLabelRegExpText } from './google-names.ts';

/** Host names (RFC 1123). The last label must not be a number, or the name would be read as an address. */
const hostNamePattern = new RegExp(`^(?:${hostLabelRegExpText}\\.)*(?!\\d+$)${hostLabelRegExpText}$`);
/** An IPv6 address in brackets, or another host; then possibly a port. */
const hostAndPortPattern = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([1-9]\d{0,4}))?$/;
const ipv4Schema = z.ipv4();
const ipv6Schema = z.ipv6();

/** Normalizes a host with an optional port: lower case, no trailing dot. Undefined if invalid. */
export function canonicalHost(value: string): string | undefined {
  const [, host = '', port] = hostAndPortPattern.exec(value) ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  if (Number(port ?? 0) > 65535) return undefined;
  const isAddress = name.startsWith('[')
    ? ipv6Schema.safeParse(name.slice(1, -1)).success
    : ipv4Schema.safeParse(name).success;
  // RFC 1035 limits a domain to 253 characters.
  if (!isAddress && (name.length > 253 || !hostNamePattern.test(name))) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}

/** True for a host name or an address (IPv6 with or without brackets) of the loopback interface. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || /^(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name);
}
