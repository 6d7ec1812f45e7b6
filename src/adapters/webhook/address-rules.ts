import { lookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { BlockList, isIP, type LookupFunction, type Socket } from 'node:net';
import { WebhookFailure } from './post.ts';

/** Address ranges that are not public unicast, from IANA's special-purpose address registries, and their uses. */
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
  // The first matching row names the use; the last three rows match everything outside of 2000::/3.
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

const httpsRequiredRefusal = 'is not in WEBHOOK_NETWORKS, so it needs https';

/** Decides which addresses webhooks may be sent to. */
export interface AddressRules {
  /** Why an address is refused, as the predicate of a sentence; undefined if allowed. */
  refusalOf(address: string, protocol: string): string | undefined;
  /** Why every host name is refused; undefined if the address decides. */
  refusalOfName(protocol: string): string | undefined;
}

/** Allows public unicast addresses and those in `networks`; without TLS, only the latter. An IPv4 range contains no IPv6, not even mapped addresses. */
export function createAddressRules(networks: readonly string[]): AddressRules {
  const allowedRanges = networks.map(createRangeCheck);
  const specialChecks = specialRanges.map(([range, use]) => ({
    containsAddress: createRangeCheck(range),
    use,
  }));
  return {
    refusalOf(address, protocol) {
      // Scoped addresses are local to this machine; BlockList cannot parse others than IP addresses.
      if (isIP(address) === 0 || address.includes('%')) return 'is not allowed: no address of the Internet';
      if (allowedRanges.some((isInRange) => isInRange(address))) return undefined;
      const use = specialChecks.find(({ containsAddress }) => containsAddress(address))?.use;
      if (use !== undefined) return `is not allowed: ${use}`;
      return protocol === 'https:' ? undefined : httpsRequiredRefusal;
    },
    refusalOfName: (protocol) =>
      protocol === 'https:' || allowedRanges.length > 0 ? undefined : httpsRequiredRefusal,
  };
}

/** Returns a check whether an address is in a range such as `10.0.0.0/8`. */
function createRangeCheck(range: string): (address: string) => boolean {
  const [network = '', prefixBits] = range.split('/');
  const ipVersion = isIP(network);
  const family = ipVersion === 4 ? 'ipv4' : 'ipv6';
  const blockList = new BlockList();
  blockList.addSubnet(
    network,
    prefixBits === undefined ? (ipVersion === 4 ? 32 : 128) : Number(prefixBits),
    family,
  );
  // Parses addresses as the range's own version, so that no other one matches, not even a mapped one.
  return (address) => blockList.check(address, family);
}

export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (name) =>
  new Promise((resolve, reject) =>
    lookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );

/** Creates an agent for one webhook that checks addresses twice: when a name is resolved, and when connected, before anything is sent. */
export function createCheckedAgent(protocol: string, rules: AddressRules, resolve: Resolve): HttpAgent {
  const options: AgentOptions = {
    keepAlive: true,
    maxFreeSockets: 16,
    timeout: 10_000,
    lookup: checkedLookup(protocol, rules, resolve),
  };
  const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args) as Socket | null | undefined;
    return socket?.prependListener('connect', () => {
      const refusal = rules.refusalOf(socket.remoteAddress ?? '', protocol);
      if (refusal !== undefined)
        socket.destroy(new WebhookFailure(`the address ${socket.remoteAddress} ${refusal}`));
    });
  };
  return agent;
}

/** Shares a pending lookup among connections: a silent name server occupies only one thread of the pool. */
function checkedLookup(protocol: string, rules: AddressRules, resolve: Resolve): LookupFunction {
  const pendingLookups = new Map<string, Promise<readonly LookupAddress[]>>();

  async function resolveAllowed(name: string): Promise<readonly LookupAddress[]> {
    const addresses = await resolve(name);
    for (const { address } of addresses) {
      const refusal = rules.refusalOf(address, protocol);
      if (refusal !== undefined) throw new WebhookFailure(`the name leads to ${address}, which ${refusal}`);
    }
    if (addresses.length === 0) throw new WebhookFailure('the name cannot be resolved');
    return addresses;
  }

  return (name, { all }, callback) => {
    const pendingLookup =
      pendingLookups.get(name) ?? resolveAllowed(name).finally(() => pendingLookups.delete(name));
    pendingLookups.set(name, pendingLookup);
    pendingLookup.then(
      (addresses) =>
        all
          ? callback(null, [...addresses])
          : callback(null, addresses[0]?.address ?? '', addresses[0]?.family),
      (error: unknown) => callback(error as NodeJS.ErrnoException, []),
    );
  };
}

/** Why a URL cannot receive messages, as the predicate of a sentence; undefined if it can. `text`: the URL as it was given. */
export function findUrlProblem(
  { protocol, hostname, port, username, password }: URL,
  text: string,
  rules: AddressRules,
): string | undefined {
  if (protocol !== 'https:' && protocol !== 'http:') return 'must start with https://';
  // The URL parser silently repairs invalid URLs.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text))
    return 'must start with https://, and have neither blanks nor backslashes';
  if (port === '0') return 'must have another port than 0';
  if (username !== '' || password !== '')
    return 'must have neither user nor password: signatures identify the sender';
  if (text.includes('#')) return 'must have no fragment (#), which is never sent';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isHostName = isIP(host) === 0;
  // RFC 6761: these names lead to this machine.
  const address = /(^|\.)localhost\.?$/i.test(host) ? '127.0.0.1' : host;
  const refusal = isIP(address) === 0 ? rules.refusalOfName(protocol) : rules.refusalOf(address, protocol);
  return refusal && `${isHostName ? 'its host' : host} ${refusal}`;
}
