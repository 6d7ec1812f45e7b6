import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import {
  type ChannelDelivery,
  type ChannelPoster,
  maxAttemptMs,
  maxConnectionsPerHost,
} from '../../channel/channel.store.ts';
import { parseRetryAfter } from '../../core/text/retry-after.ts';
import { type AddressRules, createCheckedAgent, type Resolve, systemResolve } from './address-rules.ts';
import { post, WebhookFailure } from './post.ts';

/** Collaborators of the poster; the optional ones are replaced in tests. */
interface ChannelPosterDependencies {
  readonly rules: AddressRules;
  readonly resolve?: Resolve;
  /** Milliseconds to wait for a response. */
  readonly timeoutMs?: number;
}

/** Statuses with which a receiver ends its channel. */
const goneStatuses: readonly number[] = [404, 410];

/** Posts the messages of channels, each on a connection of its own, to addresses that callers chose. */
export function createChannelPoster({
  rules,
  resolve = resolveWithoutThreads,
  timeoutMs = maxAttemptMs,
}: ChannelPosterDependencies): ChannelPoster {
  const createAgent = (protocol: string) => {
    const agent = createCheckedAgent(protocol, rules, resolve);
    // Counts connections that a receiver keeps open after its response.
    agent.maxSockets = maxConnectionsPerHost;
    return agent;
  };
  const agents = { 'https:': createAgent('https:'), 'http:': createAgent('http:') };

  return {
    async send({ address, headers: channelHeaders }, abortSignal): Promise<ChannelDelivery> {
      const url = new URL(address);
      const agent = agents[url.protocol as keyof typeof agents];
      const headers = { ...channelHeaders, 'user-agent': 'resource-gateway', connection: 'close' };
      try {
        const { status, retryAfter } = await post({
          url,
          agent,
          headers,
          body: Buffer.alloc(0),
          timeoutMs,
          signal: abortSignal,
        });
        if (status >= 200 && status < 300) return { outcome: 'delivered' };
        return {
          outcome: goneStatuses.includes(status) ? 'gone' : 'failed',
          cause: new WebhookFailure(`answered with ${status}`),
          retryAfterMs: retryAfter === undefined ? 0 : parseRetryAfter(retryAfter, Date.now()),
        };
      } catch (error) {
        return { outcome: 'failed', cause: error as Error };
      }
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

/** Resolver that queries name servers itself, with up to two attempts of two seconds. */
const directResolver = new Resolver({ timeout: 2_000, tries: 2 });

/**
 * Queries name servers directly: `getaddrinfo` occupies one of the few threads of the process, all of which a caller's silent
 * name server could take. Names without a dot (hosts file, containers) use the resolver of the system.
 */
export const resolveWithoutThreads: Resolve = async (name) => {
  if (!name.includes('.')) return systemResolve(name);
  const results = await Promise.allSettled([directResolver.resolve4(name), directResolver.resolve6(name)]);
  const addresses = results.flatMap((result, index): LookupAddress[] =>
    result.status === 'rejected'
      ? []
      : result.value.map((ipAddress) => ({ address: ipAddress, family: index === 0 ? 4 : 6 })),
  );
  const [ipv4] = results;
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
};
