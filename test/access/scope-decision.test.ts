import { requireScopes, type ScopeRule } from '../../src/access/permissions.ts';
import { fc } from '../property.ts';

const decision = (scopes: readonly string[], rules: readonly ScopeRule[]): unknown => {
  try {
    return requireScopes(
      { sub: 'user-1', identity: 'ada@example.com', key: 'ada', scopes: new Set(scopes) },
      rules,
    );
  } catch (error) {
    return error;
  }
};

describe('the decision on scopes', () => {
  test('names the scopes that would do, not those the caller has', () => {
    const error = decision(['mine'], [[['a', 'b'], ['c']]]);
    expect(error).toMatchObject({ code: 'FORBIDDEN', reason: 'insufficientScope' });
    expect(String(error)).toContain('a and b, or c');
    expect(String(error)).not.toContain('mine');
  });

  test('holds for any rules: each needs an alternative the caller has all of', () => {
    const scope = fc.constantFrom('a', 'b', 'A', 'a/', ' a');
    const rules = fc.array(fc.array(fc.array(scope, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(scope), rules, (scopes, wanted) => {
        const allowed = wanted.every((rule) => rule.some((all) => all.every((one) => scopes.includes(one))));
        expect(decision(scopes, wanted) === undefined).toBe(allowed);
      }),
    );
  });
});
