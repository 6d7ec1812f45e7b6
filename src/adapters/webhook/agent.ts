import { lookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { WebhookFailure } from './exchange.ts';

/** Ranges of addresses that are no public unicast ones, by the registries of special addresses of IANA, and what each is for. */
const specialRanges: readonly (readonly [range: string, use: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'for protocols'],
  ['192.0.2.0/24', 'for documentation'],
  ['192.88.99.0/24', 'for 6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'for benchmarks'],
  ['198.51.100.0/24', 'for documentation'],
  ['203.0.113.0/24', 'for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  // The first row that has an address names its use: the last three have whatever is outside of 2000::/3.
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4 in IPv6'],
  ['::ffff:0:0/96', 'IPv4 in IPv6'],
  ['::ffff:0:0:0/96', 'IPv4 in IPv6'],
  ['64:ff9b::/96', 'IPv4 in IPv6'],
  ['64:ff9b:1::/48', 'IPv4 in IPv6'],
  ['2001::/32', 'IPv4 in IPv6'],
  ['2001::/23', 'for protocols'],
  ['2001:db8::/32', 'for documentation'],
  ['2002::/16', 'IPv4 in IPv6'],
  ['3fff::/20', 'for documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['::/3', 'reserved'],
  ['4000::/2', 'reserved'],
  ['8000::/1', 'reserved'],
];

const withoutTls = 'is not in WEBHOOK_NETWORKS, so it needs https';

/** Which addresses webhooks may be sent to. */
export interface AddressRules {
  /** Why an address may not be connected to, as the end of a sentence that begins with it; undefined where it may. */
  refusalOf(address: string, protocol: string): string | undefined;
  /** Says why a host name is refused, whatever address it leads to. */
  refusalOfName(protocol: string): string | undefined;
}

/**
 * Public unicast addresses and those of `networks` (addresses and ranges in CIDR notation) are allowed, without TLS those of
 * `networks` alone. A range of IPv4 has no addresses of IPv6, however IPv4 is written in them.
 */
export function createAddressRules(networks: readonly string[]): AddressRules {
  const allowed = networks.map(rangeOf);
  const special = specialRanges.map(([range, use]) => ({ has: rangeOf(range), use }));
  return {
    refusalOf(address, protocol) {
      // A zone is of this machine, and what BlockList cannot read is in no range.
      if (isIP(address) === 0 || address.includes('%')) return 'is not allowed: no address of the Internet';
      if (allowed.some((has) => has(address))) return undefined;
      const use = special.find(({ has }) => has(address))?.use;
      if (use !== undefined) return `is not allowed: ${use}`;
      return protocol === 'https:' ? undefined : withoutTls;
    },
    refusalOfName: (protocol) => (protocol === 'https:' || allowed.length > 0 ? undefined : withoutTls),
  };
}

/** Whether an address is in a range, or is that address. */
function rangeOf(range: string): (address: string) => boolean {
  const [network = '', bits] = range.split('/');
  const version = isIP(network);
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), family);
  // Addresses are read as those of the range's own version: no other one, a mapped one either, is in it.
  return (address) => list.check(address, family);
}

/** Gives all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

/** As the rest of the machine resolves names. */
export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) =>
    lookup(name, { all: true }, (error, found) => (error ? reject(error) : resolve(found))),
  );

/**
 * Connections to one webhook, without a proxy. Addresses are checked twice: those of a name when it was resolved, all of them,
 * and what a socket is connected to, a literal address too, before anything is written to it.
 */
export function createCheckedAgent(protocol: string, rules: AddressRules, resolve: Resolve): HttpAgent {
  const options: AgentOptions = {
    keepAlive: true,
    maxFreeSockets: 16,
    timeout: 10_000,
    lookup: checkedLookup(protocol, rules, resolve),
  };
  const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...given) => {
    const socket = connect(...given) as Socket | null | undefined;
    return socket?.prependListener('connect', () => {
      const refusal = rules.refusalOf(socket.remoteAddress ?? '', protocol);
      if (refusal !== undefined)
        socket.destroy(new WebhookFailure(`the address ${socket.remoteAddress} ${refusal}`));
    });
  };
  return agent;
}

/** Connections that begin while a name is being resolved share the outcome: a silent name server holds one thread of all. */
function checkedLookup(protocol: string, rules: AddressRules, resolve: Resolve): LookupFunction {
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();

  async function addressesOf(name: string): Promise<readonly LookupAddress[]> {
    const found = await resolve(name);
    for (const { address } of found) {
      const refusal = rules.refusalOf(address, protocol);
      if (refusal !== undefined) throw new WebhookFailure(`the name leads to ${address}, which ${refusal}`);
    }
    if (found.length === 0) throw new WebhookFailure('the name cannot be resolved');
    return found;
  }

  return (name, { all }, callback) => {
    const asked = underWay.get(name) ?? addressesOf(name).finally(() => underWay.delete(name));
    underWay.set(name, asked);
    asked.then(
      (found) =>
        all ? callback(null, [...found]) : callback(null, found[0]?.address ?? '', found[0]?.family),
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}
