import { AppError } from '../core/kernel/errors.ts';
import type { Viewer } from './permissions.ts';

/** Alternatives, each of them a set of scopes that are required together, as in `@requiresScopes`. */
export type ScopeRule = readonly (readonly string[])[];

/** Throws unless a caller has the scopes for all of these rules. Without rules (only `__typename`) everybody is allowed. */
export function requireScopes(viewer: Viewer | undefined, rules: readonly ScopeRule[]): void {
  if (rules.length === 0) return;
  if (!viewer) {
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'This needs an Authorization header: Bearer, a space, and a token.',
    );
  }
  const missing = rules.find((rule) => !rule.some((all) => all.every((scope) => viewer.scopes.has(scope))));
  if (!missing) return;
  const needed = missing.map((all) => all.join(' and ')).join(', or ');
  throw new AppError(
    'FORBIDDEN',
    'insufficientScope',
    `The token lacks the scope for this: it needs ${needed}.`,
  );
}
