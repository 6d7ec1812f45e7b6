import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { networkKeyOf } from '../core/text/ip-address.ts';

/** Set of trusted proxies. */
export type Proxies = ReturnType<typeof createProxies>;

/** Part of a request that names the client and the proxies on its way. */
interface ForwardedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/** Creates the set of trusted proxies, which knows the clients behind them. */
export function createProxies(trustedNetworks: readonly string[]) {
  const trustedAddresses = new BlockList();
  for (const entry of trustedNetworks) {
    const [address = '', bitCount] = entry.split('/');
    const isIPv4 = isIP(address) === 4;
    trustedAddresses.addSubnet(address, Number(bitCount ?? (isIPv4 ? 32 : 128)), isIPv4 ? 'ipv4' : 'ipv6');
  }
  /** Whether an address belongs to a trusted proxy. */
  const has = (address = ''): boolean =>
    trustedNetworks.length > 0 &&
    isIP(address) !== 0 &&
    trustedAddresses.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return {
    has,
    /** Returns the IPv4 address or IPv6 network of the client that sent a request. */
    clientOf: ({ socket, headers }: ForwardedRequest): string => {
      let client = socket.remoteAddress;
      if (!has(client)) return networkKeyOf(client);
      // Each proxy appends its caller's address. Entries before an untrusted address can be forged.
      for (const hop of String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .reverse()) {
        const address = has(client) ? parseHop(hop.trim()) : undefined;
        if (address === undefined) break;
        client = address;
      }
      return networkKeyOf(client);
    },
  };
}

const addressWithPortPattern = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/;

/** Parses an address in `X-Forwarded-For`, with or without a port; undefined for other text. */
function parseHop(hop: string): string | undefined {
  const { ipv6, ipv4 } = addressWithPortPattern.exec(hop)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? hop;
  return isIP(address) === 0 ? undefined : address;
}
