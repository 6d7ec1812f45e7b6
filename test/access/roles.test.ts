import { type AccessRole, includesRole, roleOn, type Viewer } from '../../src/access/permissions.ts';
import { isManager } from '../../src/bucket/bucket.view.ts';
import type { CalendarRecord } from '../../src/calendar/calendar.store.ts';
import { fc } from '../property.ts';

const roles: readonly AccessRole[] = ['none', 'freeBusyReader', 'reader', 'writer', 'owner'];

const viewerOf = (name: string): Viewer => ({ sub: 'user-1', identity: name, key: name, scopes: new Set() });

const createCalendar = (acl: CalendarRecord['acl'], owner = 'owner@example.com'): CalendarRecord => ({
  id: 'team',
  owner,
  timeZone: 'Europe/Berlin',
  defaultReminders: [],
  acl,
});

describe('a role on a calendar', () => {
  test('includes the weaker ones and itself, never a stronger one', () => {
    for (const [rank, role] of roles.entries())
      expect(roles.filter((needed) => includesRole(role, needed))).toEqual(roles.slice(0, rank + 1));
  });

  test('is owner for its owner, whatever the access list says', () => {
    const calendarWithDemotedOwner = createCalendar([{ email: 'owner@example.com', role: 'none' }]);
    expect(roleOn(calendarWithDemotedOwner, viewerOf('owner@example.com'))).toBe('owner');
  });

  test('is the strongest of several entries, in any order', () => {
    const email = fc.constantFrom('ada@example.com', 'eve@example.com');
    const lists = fc.array(fc.record({ email, role: fc.constantFrom(...roles) }));
    fc.assert(
      fc.property(lists, (acl) => {
        const adasEntries = acl.filter((entry) => entry.email === 'ada@example.com');
        const rank = Math.max(0, ...adasEntries.map(({ role }) => roles.indexOf(role)));
        expect(roleOn(createCalendar(acl), viewerOf('ada@example.com'))).toBe(roles[rank]);
      }),
    );
  });

  test('does not depend on the case of an address', () => {
    expect(roleOn(createCalendar([], 'Owner@Example.COM'), viewerOf('owner@example.com'))).toBe('owner');
    const calendarSharedWithAda = createCalendar([{ email: 'ADA@example.com', role: 'reader' }]);
    expect(roleOn(calendarSharedWithAda, viewerOf('ada@example.com'))).toBe('reader');
  });

  test.each([
    ['the Kelvin sign', 'mi\u212ae@example.com'],
    ['full-width letters', '\uff4dike@example.com'],
    ['a soft hyphen', 'mi\u00adke@example.com'],
    ['a full stop of another script', 'mike@example\u3002com'],
    ['a quoted local part', '"mike"@example.com'],
    ['an upper-case letter outside ASCII', 'M\u0130KE@example.com'],
  ])('is not given to an address that looks the same: %s', (_case, lookAlike) => {
    expect(roleOn(createCalendar([], 'mike@example.com'), viewerOf(lookAlike))).toBe('none');
    const sharedCalendar = createCalendar([{ email: lookAlike, role: 'writer' }]);
    expect(roleOn(sharedCalendar, viewerOf('mike@example.com'))).toBe('none');
  });

  test('is not given to an address that only contains or resembles a listed one', () => {
    const sharedCalendar = createCalendar([{ email: 'ada@example.com', role: 'writer' }]);
    const similarAddresses = [
      'ada@example.com.evil.test',
      'xada@example.com',
      ' ada@example.com',
      'ada@example.co',
    ];
    for (const name of [...similarAddresses, '', 'user-1'])
      expect(roleOn(sharedCalendar, viewerOf(name))).toBe('none');
  });
});

const createBucket = (managers: readonly string[]) => ({ managers });

describe('the notifications of a bucket', () => {
  test('are managed by its managers only, whatever the letter case of their addresses', () => {
    const photos = createBucket(['Ada@example.com', 'robot-7']);
    const names = ['ada@example.com', 'robot-7', 'eve@example.com', 'user-1'];
    const managerNames = names.filter((name) => isManager(photos, viewerOf(name)));
    expect(managerNames).toEqual(['ada@example.com', 'robot-7']);
  });

  test('are not managed by a lookalike address', () => {
    for (const lookAlike of ['mi\u212ae@example.com', 'mike@example\u3002com', '"mike"@example.com'])
      expect(isManager(createBucket(['mike@example.com']), viewerOf(lookAlike))).toBe(false);
  });

  test('are managed by nobody if the bucket has no managers', () =>
    expect(isManager(createBucket([]), viewerOf('ada@example.com'))).toBe(false));
});
