import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { networkOf } from '../core/text/address.ts';

/** Trusted proxies, and the clients behind them. */
export interface Proxies {
  readonly has: (address: string | undefined) => boolean;
  /** Returns the IPv4 address or IPv6 network of the client that sent a request. */
  readonly clientOf: (request: {
    readonly headers: IncomingHttpHeaders;
    readonly socket: Pick<Socket, 'remoteAddress'>;
  }) => string;
}

export function createProxies(trustedNetworks: readonly string[]): Proxies {
  if (trustedNetworks.length === 0)
    return { has: () => false, clientOf: ({ socket }) => networkOf(socket.remoteAddress) };
  const blockList = new BlockList();
  for (const entry of trustedNetworks) {
    const [address = '', bitCount] = entry.split('/');
    const isIPv4 = isIP(address) === 4;
    blockList.addSubnet(address, Number(bitCount ?? (isIPv4 ? 32 : 128)), isIPv4 ? 'ipv4' : 'ipv6');
  }
  const has = (address = ''): boolean =>
    isIP(address) !== 0 && blockList.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return {
    has,
    clientOf({ socket, headers }) {
      let client = socket.remoteAddress;
      // Each proxy appends its caller's address. Entries before an untrusted address can be forged.
      for (const hop of String(headers['x-forwarded-for'] ?? '')
        .split(',')
        .reverse()) {
        const address = has(client) ? parseHop(hop.trim()) : undefined;
        if (address === undefined) break;
        client = address;
      }
      return networkOf(client);
    },
  };
}

const addressWithPort = /^(?:\[(?<ipv6>[^\]]+)\](?::\d+)?|(?<ipv4>[\d.]+):\d+)$/;

/** Parses an address in `X-Forwarded-For`, with or without a port; undefined for other text. */
function parseHop(hop: string): string | undefined {
  const { ipv6, ipv4 } = addressWithPort.exec(hop)?.groups ?? {};
  const address = ipv6 ?? ipv4 ?? hop;
  return isIP(address) === 0 ? undefined : address;
}
