import { SignJWT } from 'jose';
import type { ScopeRule } from './permissions.ts';

interface TokenClaims {
  readonly sub: string;
  readonly email?: string;
  readonly scopes: readonly string[];
  /** Epoch milliseconds. */
  readonly expires: number;
  readonly issuer?: string;
  readonly audience?: string;
}

/** A bearer token (HS256) for the demo and for developers. */
export function signToken(
  secret: string,
  { sub, email, scopes, expires, issuer, audience }: TokenClaims,
): Promise<string> {
  const token = new SignJWT({ ...(email !== undefined && { email }), scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(sub)
    .setExpirationTime(new Date(expires));
  if (issuer !== undefined) token.setIssuer(issuer);
  if (audience !== undefined) token.setAudience(audience);
  return token.sign(Buffer.from(secret, 'utf8'));
}

/** A small set of scopes that satisfies all rules, chosen greedily: the alternative of most unsatisfied rules first. */
export function fewestScopes(rules: Iterable<ScopeRule>): string[] {
  const held = new Set<string>();
  const isOpen = (rule: ScopeRule): boolean => rule.some((all) => all.every((scope) => held.has(scope)));
  for (let closed = [...rules]; closed.length > 0; closed = closed.filter((rule) => !isOpen(rule))) {
    const uses = new Map<string, { scopes: readonly string[]; count: number }>();
    for (const scopes of closed.flat()) {
      const name = scopes.join(' ');
      uses.set(name, { scopes, count: (uses.get(name)?.count ?? 0) + 1 });
    }
    const [best] = [...uses.values()].sort((a, b) => b.count - a.count);
    for (const scope of best?.scopes ?? []) held.add(scope);
  }
  return [...held];
}
