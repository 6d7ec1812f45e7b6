import { lookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AddressRules } from './address-rules.ts';
import { WebhookFailure } from './failure.ts';

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
  agent.createConnection = (...given) => checked(connect(...given), protocol, rules);
  return agent;
}

function checked(
  made: Duplex | null | undefined,
  protocol: string,
  rules: AddressRules,
): Duplex | null | undefined {
  const socket = made as Socket | null | undefined;
  return socket?.prependListener('connect', () => {
    const refusal = rules.refusalOf(socket.remoteAddress ?? '', protocol);
    if (refusal !== undefined)
      socket.destroy(new WebhookFailure(`the address ${socket.remoteAddress} ${refusal}`));
  });
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
