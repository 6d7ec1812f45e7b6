import { isIP } from 'node:net';
import type { AddressRules } from './address-rules.ts';

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
