import { requireScopes, type ScopeRule } from '../../src/access/permissions.ts';
import { fc } from '../property.ts';

/** Returns the error of `requireScopes`; undefined if the scopes suffice. */
const catchScopeError = (scopes: readonly string[], rules: readonly ScopeRule[]): unknown => {
  try {
    return requireScopes({ sub: 'user-1', identity: 'ada', key: 'ada', scopes: new Set(scopes) }, rules);
  } catch (error) {
    return error;
  }
};

describe('requireScopes', () => {
  test('names the missing scopes, not those of the caller', () => {
    const error = catchScopeError(['mine'], [[['a', 'b'], ['c']]]);
    expect(error).toMatchObject({ code: 'FORBIDDEN', reason: 'insufficientScope' });
    expect(String(error)).toContain('a and b, or c');
    expect(String(error)).not.toContain('mine');
  });

  test('accepts a caller who has, for each rule, all scopes of one alternative', () => {
    const scope = fc.constantFrom('a', 'b', 'A', 'a/', ' a');
    const alternative = fc.array(scope, { minLength: 1, maxLength: 3 });
    const rules = fc.array(fc.array(alternative, { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(scope), rules, (scopes, scopeRules) => {
        const isAllowed = scopeRules.every((rule) =>
          rule.some((alternativeScopes) => alternativeScopes.every((needed) => scopes.includes(needed))),
        );
        expect(catchScopeError(scopes, scopeRules) === undefined).toBe(isAllowed);
      }),
    );
  });
});
