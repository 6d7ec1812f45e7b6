import { AppError } from '../core/kernel/errors.ts';
import type { Viewer } from './permissions.ts';

/** Alternatives of scopes that are needed together, as `@requiresScopes` holds them. */
export type ScopeRule = readonly (readonly string[])[];

/**
 * Decides whether a caller may run an operation, before any of it runs: throws when one of its root fields is not
 * allowed. An operation without rules (only `__typename`) is open to all.
 */
export function requireScopes(viewer: Viewer | undefined, rules: readonly ScopeRule[]): void {
  if (rules.length === 0) return;
  if (!viewer) {
    throw new AppError('UNAUTHENTICATED', 'authError', 'This needs an Authorization header: Bearer, a space, and a token.');
  }
  const missing = rules.find((rule) => !rule.some((all) => all.every((scope) => viewer.scopes.has(scope))));
  if (!missing) return;
  const needed = missing.map((all) => all.join(' and ')).join(', or ');
  throw new AppError('FORBIDDEN', 'insufficientScope', `The token lacks the scope for this: it needs ${needed}.`);
}
