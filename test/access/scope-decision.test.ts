import { requireScopes, type ScopeRule } from '../../src/access/scopes.ts';
import type { Viewer } from '../../src/access/permissions.ts';
import { fc } from '../property.ts';

const calendar = 'https://www.googleapis.com/auth/calendar';
const events = 'https://www.googleapis.com/auth/calendar.events';
const holder = (...scopes: string[]): Viewer => ({
  sub: 'user-1',
  identity: 'ada@example.com',
  key: 'ada',
  scopes: new Set(scopes),
});
const lacking = { code: 'FORBIDDEN', reason: 'insufficientScope' };

const decision = (viewer: Viewer | undefined, rules: readonly ScopeRule[]): unknown => {
  try {
    return requireScopes(viewer, rules);
  } catch (error) {
    return error;
  }
};

describe('the decision on scopes', () => {
  test('lets everybody ask for what needs none', () => {
    expect(decision(undefined, [])).toBeUndefined();
    expect(decision(holder(), [])).toBeUndefined();
  });

  test('sends a caller without a token to sign in, and says how', () => {
    const error = decision(undefined, [[[calendar]]]);
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', reason: 'authError' });
    expect(String(error)).toContain('Authorization header: Bearer');
  });

  test.each<[string, ScopeRule[], string[], string[]]>([
    ['one of the alternatives', [[[calendar], [events]]], [events], ['openid']],
    ['all scopes of an alternative that needs several', [[['a', 'b'], ['c']]], ['a', 'b'], ['b', 'x']],
    ['an alternative for each root field', [[['a']], [['b']], [['a']]], ['a', 'b'], ['a']],
  ])('asks for %s', (_what, rules, enough, lack) => {
    expect(decision(holder(...enough), rules)).toBeUndefined();
    expect(decision(holder(...lack), rules)).toMatchObject(lacking);
  });

  test('compares scopes exactly: neither a part nor another case of letters will do', () => {
    const near = [
      `${calendar}.readonly`,
      calendar.slice(0, -1),
      calendar.toUpperCase(),
      `${calendar}/`,
      ` ${calendar}`,
    ];
    expect(decision(holder(...near), [[[calendar]]])).toMatchObject(lacking);
    expect(decision(holder(calendar), [[[events]]])).toMatchObject(lacking);
  });

  test('allows nobody what has a rule without alternatives', () =>
    expect(decision(holder('a'), [[]])).toMatchObject(lacking));

  test('names the scopes that would do, not those the caller has', () => {
    const message = String(decision(holder('mine'), [[['a', 'b'], ['c']]]));
    expect(message).toContain('a and b, or c');
    expect(message).not.toContain('mine');
  });

  test('holds for any rules: each needs an alternative the caller has all of', () => {
    const scope = fc.constantFrom('a', 'b', 'c', 'd');
    const rules = fc.array(fc.array(fc.array(scope, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.array(scope), rules, (scopes, wanted) => {
        const allowed = wanted.every((rule) => rule.some((all) => all.every((one) => scopes.includes(one))));
        expect(decision(holder(...scopes), wanted) === undefined).toBe(allowed);
      }),
    );
  });
});
