import { addressKey } from '../../src/core/text/email.ts';
import { alice, people, useEvents, type Shown } from './event.harness.ts';

const kate = 'kate@example.com';
const sam = 'sam@example.com';
/** Each looks like one of the above, or is lower-cased to it by rules of Unicode, and is another address byte by byte. */
const lookAlikes = {
  'the Kelvin sign': ['\u212aate@example.com', kate],
  'a long s': ['\u017fam@example.com', sam],
} as const;

describe.each(Object.entries(lookAlikes))('an address with %s', (_name, [other, real]) => {
  const calendars = people().map((calendar) => ({
    ...calendar,
    acl: [
      { email: other, role: 'reader' },
      { email: real, role: 'writer' },
    ],
  }));
  const seed = { calendars: [...calendars, { id: real, owner: real, timeZone: 'UTC' }] };
  const gateway = useEvents({ seed });

  test('is no other’s private event', async () => {
    const { id } = await gateway.make({
      summary: 'Secret',
      visibility: 'private',
      attendees: [{ email: real }],
    });
    expect((await gateway.on(alice, id, real)).summary).toBe('Secret');
    expect(await gateway.on(alice, id, other)).toMatchObject({ summary: null, visibility: 'private' });
  });

  test('sees the calendars of its own access list entry, in its own role, and a primary one of its own', async () => {
    const roles = async (as: string): Promise<string[]> =>
      (await gateway.ask('{ calendars { id accessRole } }', {}, { as })).data.calendars.map(
        ({ id, accessRole }: Shown) => `${id} ${accessRole}`,
      );
    const [own, ...others] = await roles(other);
    expect(own).toBe(`${addressKey(other)} owner`);
    expect(others.every((line) => line.endsWith(' reader'))).toBe(true);
    expect(await roles(real)).toContain(`${real} owner`);
  });

  test('is another guest, without the other’s calendar and answers', async () => {
    const { id } = await gateway.make({
      attendees: [{ email: other }, { email: real, responseStatus: 'needsAction' }],
    });
    const { attendees } = await gateway.change(
      id,
      { attendeesOmitted: true, attendees: [{ email: real, responseStatus: 'accepted' }] },
      { as: real },
    );
    expect(attendees.map(({ email, self, responseStatus }: Shown) => [email, self, responseStatus])).toEqual([
      [other, false, 'needsAction'],
      [real, true, 'accepted'],
    ]);
  });

  test('is not the creator whose source is shown', async () => {
    const { id } = await gateway.make(
      { source: { title: 'Tracker', url: 'https://tracker.example' } },
      { as: real, calendarId: alice },
    );
    expect((await gateway.on(alice, id, real)).source).toMatchObject({ title: 'Tracker' });
    expect((await gateway.on(alice, id, other)).source).toBeNull();
  });
});
