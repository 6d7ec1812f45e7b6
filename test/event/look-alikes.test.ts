import { addressKey } from '../../src/core/text/email.ts';
import { alice, sampleCalendars, useEvents, type EventJson } from './event.harness.ts';
import { responseOf, withGuests } from './list.harness.ts';

const kate = 'kate@example.com';
const sam = 'sam@example.com';
/** Addresses that Unicode lower-cases to one of the above, though their bytes differ. */
const lookalikes = {
  'the Kelvin sign': ['\u212aate@example.com', kate],
  'a long s': ['\u017fam@example.com', sam],
} as const;

describe.each(Object.entries(lookalikes))('an address with %s', (_name, [lookalike, real]) => {
  const calendars = sampleCalendars().map((calendar) => ({
    ...calendar,
    acl: [
      { email: lookalike, role: 'reader' },
      { email: real, role: 'writer' },
    ],
  }));
  const seed = { calendars: [...calendars, { id: real, owner: real, timeZone: 'UTC' }] };
  const gateway = useEvents({ seed });

  test('does not see private events of the real address', async () => {
    const { id } = await gateway.makeEvent({ summary: 'Secret', visibility: 'private', ...withGuests(real) });
    expect((await gateway.readOn(alice, id, real)).summary).toBe('Secret');
    const timeOnly = { summary: null, visibility: 'private' };
    expect(await gateway.readOn(alice, id, lookalike)).toMatchObject(timeOnly);
  });

  test('has the calendars and roles of its own access list entries, and its own primary calendar', async () => {
    const listRoles = async (as: string): Promise<string[]> =>
      (await gateway.ask('{ calendars { id accessRole } }', {}, { as })).data.calendars.map(
        ({ id, accessRole }: EventJson) => `${id} ${accessRole}`,
      );
    const [primary, ...shared] = await listRoles(lookalike);
    expect(primary).toBe(`${addressKey(lookalike)} owner`);
    expect(shared.every((role) => role.endsWith(' reader'))).toBe(true);
    expect(await listRoles(real)).toContain(`${real} owner`);
  });

  test('is a separate guest without the other’s calendar and responses', async () => {
    const { id } = await gateway.makeEvent(withGuests(lookalike, real));
    const { attendees } = await gateway.changeEvent(id, responseOf(real, 'accepted'), { as: real });
    expect(attendees).toMatchObject([
      { email: lookalike, self: false, responseStatus: 'needsAction' },
      { email: real, self: true, responseStatus: 'accepted' },
    ]);
  });

  test('is not shown the source of the real creator', async () => {
    const source = { title: 'Tracker', url: 'https://tracker.example' };
    const { id } = await gateway.makeEvent({ source }, { as: real });
    expect((await gateway.readOn(alice, id, real)).source).toMatchObject({ title: 'Tracker' });
    expect((await gateway.readOn(alice, id, lookalike)).source).toBeNull();
  });
});
