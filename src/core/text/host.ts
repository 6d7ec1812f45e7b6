import * as z from 'zod/mini';
import { hostLabel } from './google-names.ts';

/** Host names (RFC 1123). The last label must not be a number, or the name would be read as an address. */
const hostName = new RegExp(`^(?:${hostLabel}\\.)*(?!\\d+$)${hostLabel}$`);
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z.-]+)(?::([1-9]\d{0,4}))?$/;
const ipv4 = z.ipv4();
const ipv6 = z.ipv6();

/** Normalizes a host with an optional port: lower case, no trailing dot. Undefined if invalid. */
export function canonicalHost(value: string): string | undefined {
  const [, host = '', port] = hostAndPort.exec(value) ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  if (Number(port ?? 0) > 65535) return undefined;
  const isAddress = name.startsWith('[')
    ? ipv6.safeParse(name.slice(1, -1)).success
    : ipv4.safeParse(name).success;
  if (!isAddress && (name.length > 253 || !hostName.test(name))) return undefined;
  return port === undefined ? name : `${name}:${port}`;
}
