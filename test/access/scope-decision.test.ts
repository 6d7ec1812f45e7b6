import { requireScopes, type ScopeRule } from '../../src/access/permissions.ts';
import { fc } from '../property.ts';

const decideScopes = (scopes: readonly string[], rules: readonly ScopeRule[]): unknown => {
  try {
    return requireScopes({ sub: 'user-1', identity: 'ada', key: 'ada', scopes: new Set(scopes) }, rules);
  } catch (error) {
    return error;
  }
};

describe('requireScopes', () => {
  test('names the missing scopes, not those of the caller', () => {
    const error = decideScopes(['mine'], [[['a', 'b'], ['c']]]);
    expect(error).toMatchObject({ code: 'FORBIDDEN', reason: 'insufficientScope' });
    expect(String(error)).toContain('a and b, or c');
    expect(String(error)).not.toContain('mine');
  });

  test('needs for each rule an alternative of which the caller has all scopes', () => {
    const scope = fc.constantFrom('a', 'b', 'A', 'a/', ' a');
    const alternative = fc.array(scope, { minLength: 1, maxLength: 3 });
    const rules = fc.array(fc.array(alternative, { maxLength: 3 }), { maxLength: 3 });
    fc.assert(
      fc.property(fc.array(scope), rules, (scopes, wanted) => {
        const allowed = wanted.every((rule) =>
          rule.some((all) => all.every((needed) => scopes.includes(needed))),
        );
        expect(decideScopes(scopes, wanted) === undefined).toBe(allowed);
      }),
    );
  });
});
