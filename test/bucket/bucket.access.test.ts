import type { Viewer } from '../../src/access/permissions.ts';
import { manages } from '../../src/bucket/bucket.access.ts';

const viewer = (identity: string): Viewer => ({ sub: 'user-1', identity, key: identity, scopes: new Set() });
const managedBy = (managers: readonly string[]) => ({ managers });

describe('the notifications of a bucket', () => {
  test('are managed by those it lists, in any case of letters, and by nobody else', () => {
    const photos = managedBy(['Ada@example.com', 'robot-7']);
    expect(manages(photos, viewer('ada@example.com'))).toBe(true);
    expect(manages(photos, viewer('robot-7'))).toBe(true);
    expect(manages(photos, viewer('eve@example.com'))).toBe(false);
    expect(manages(photos, viewer('user-1'))).toBe(false);
  });

  test('are not managed by an address that only looks alike', () => {
    for (const lookAlike of ['mi\u212ae@example.com', 'mike@example\u3002com', '"mike"@example.com']) {
      expect(manages(managedBy(['mike@example.com']), viewer(lookAlike))).toBe(false);
    }
  });

  test('are managed by nobody when it lists nobody', () => {
    expect(manages(managedBy([]), viewer('ada@example.com'))).toBe(false);
  });
});
