import { addressKey } from '../../src/core/text/email.ts';
import { alice, sampleCalendars, useEventGateway, type EventJson } from './event.harness.ts';
import { responseOf, withGuests } from './list.harness.ts';

const kate = 'kate@example.com';
const sam = 'sam@example.com';
/** Addresses with a character that Unicode case mapping turns into the `k` or `s` of a real address. */
const lookalikes = {
  'the Kelvin sign': ['\u212aate@example.com', kate],
  'a long s': ['\u017fam@example.com', sam],
} as const;

describe.each(Object.entries(lookalikes))('an address with %s', (_name, [lookalike, realAddress]) => {
  const calendars = sampleCalendars().map((calendar) => ({
    ...calendar,
    acl: [
      { email: lookalike, role: 'reader' },
      { email: realAddress, role: 'writer' },
    ],
  }));
  const seed = { calendars: [...calendars, { id: realAddress, owner: realAddress, timeZone: 'UTC' }] };
  const gateway = useEventGateway({ seed });

  test('does not see private events of the real address', async () => {
    const { id } = await gateway.makeEvent({
      summary: 'Secret',
      visibility: 'private',
      ...withGuests(realAddress),
    });
    expect((await gateway.readOn(alice, id, realAddress)).summary).toBe('Secret');
    const timeOnlyFields = { summary: null, visibility: 'private' };
    expect(await gateway.readOn(alice, id, lookalike)).toMatchObject(timeOnlyFields);
  });

  test('has the calendars and roles of its own access list entries, and its own primary calendar', async () => {
    const listRoles = async (as: string): Promise<string[]> =>
      (await gateway.ask('{ calendars { id accessRole } }', {}, { as })).data.calendars.map(
        ({ id, accessRole }: EventJson) => `${id} ${accessRole}`,
      );
    const [primaryRole, ...sharedRoles] = await listRoles(lookalike);
    expect(primaryRole).toBe(`${addressKey(lookalike)} owner`);
    expect(sharedRoles.every((role) => role.endsWith(' reader'))).toBe(true);
    expect(await listRoles(realAddress)).toContain(`${realAddress} owner`);
  });

  test('is a separate guest without the other’s calendar and responses', async () => {
    const { id } = await gateway.makeEvent(withGuests(lookalike, realAddress));
    const { attendees } = await gateway.changeEvent(id, responseOf(realAddress, 'accepted'), {
      as: realAddress,
    });
    expect(attendees).toMatchObject([
      { email: lookalike, self: false, responseStatus: 'needsAction' },
      { email: realAddress, self: true, responseStatus: 'accepted' },
    ]);
  });

  test('is not shown the source of the real creator', async () => {
    const source = { title: 'Tracker', url: 'https://tracker.example' };
    const { id } = await gateway.makeEvent({ source }, { as: realAddress });
    expect((await gateway.readOn(alice, id, realAddress)).source).toMatchObject({ title: 'Tracker' });
    expect((await gateway.readOn(alice, id, lookalike)).source).toBeNull();
  });
});
