import { bad, carol, emails, entryOf, guests, room } from './attendees.harness.ts';
import { alice, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';

describe('answers on the guest list', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await startEvents();
  });
  afterAll(() => gateway.close());

  const withGuests = async (attendees: object[] = guests): Promise<string> =>
    (await gateway.insert({ ...hour, attendees })).event.id;

  describe('attendeesOmitted: true', () => {
    const all = [{ email: alice, responseStatus: 'needsAction' }, ...guests];
    const own = { email: 'ALICE@example.com', responseStatus: 'accepted', comment: 'On my way', additionalGuests: 1 };

    test('only the own entry is applied, nobody is removed', async () => {
      const id = await withGuests(all);
      const patched = await gateway.patch(id, { attendeesOmitted: true, attendees: [own] });
      expect(patched.notes).toEqual([]);
      expect(emails(patched)).toEqual([alice, bob, carol, room]);
      expect(patched.event.attendees[0]).toMatchObject({ responseStatus: 'accepted', comment: 'On my way', additionalGuests: 1 });
      expect(patched.event.attendeesOmitted).toBe(false);
    });

    test('others are ignored with a warning where they differ, and so are other fields of the own entry', async () => {
      const id = await withGuests(all);
      const patched = await gateway.patch(id, {
        attendeesOmitted: true,
        attendees: [
          { email: carol, responseStatus: 'declined' },
          { email: bob },
          { ...own, displayName: 'Al', optional: true },
          { email: 'new@example.org' },
        ],
      });
      expect([...patched.notes].sort()).toEqual([
        'event.attendees.0 ignored',
        'event.attendees.2.displayName ignored',
        'event.attendees.2.optional ignored',
        'event.attendees.3 ignored',
      ]);
      expect(emails(patched)).toEqual([alice, bob, carol, room]);
      expect(entryOf(patched, carol).responseStatus).toBe('tentative');
      expect(entryOf(patched, alice)).toMatchObject({ responseStatus: 'accepted', displayName: null, optional: false });
    });

    test('null and the empty list remove nobody', async () => {
      const id = await withGuests(all);
      const none = await gateway.patch(id, { attendeesOmitted: true, attendees: null });
      expect(none.notes).toEqual(['event.attendees ignored']);
      expect(emails(none)).toEqual([alice, bob, carol, room]);
      expect(emails(await gateway.patch(id, { attendeesOmitted: true, attendees: [] }))).toEqual([alice, bob, carol, room]);
    });

    test('null for an own field clears it', async () => {
      const id = await withGuests([{ ...own, email: alice }]);
      const patched = await gateway.patch(id, {
        attendeesOmitted: true,
        attendees: [{ email: alice, responseStatus: null, comment: null }],
      });
      expect(patched.event.attendees).toMatchObject([{ responseStatus: 'needsAction', comment: null, additionalGuests: 1 }]);
    });

    test('without an own entry there is nothing to apply: a warning', async () => {
      const id = await withGuests();
      const patched = await gateway.patch(id, { attendeesOmitted: true, attendees: [own] });
      expect(patched.notes).toEqual(['event.attendees.0 ignored']);
      expect(emails(patched)).toEqual([bob, carol, room]);
    });

    test('an issue of the own entry has the path the client sent it at', async () => {
      const id = await withGuests(all);
      const attendees = [{ email: bob }, { email: alice, additionalGuests: -1 }];
      expect((await gateway.patch(id, { attendeesOmitted: true, attendees })).problems).toEqual([
        bad('.1.additionalGuests', 'invalid'),
      ]);
    });

    test('in an insert the list is complete all the same: a warning', async () => {
      const inserted = await gateway.insert({ ...hour, attendeesOmitted: true, attendees: guests });
      expect(inserted.notes).toEqual(['event.attendeesOmitted ignored']);
      expect(emails(inserted)).toEqual([bob, carol, room]);
    });
  });

  describe('a guest', () => {
    test('answers with the whole list as it was read, the own address in any case', async () => {
      const id = await withGuests();
      const { attendees } = (await gateway.read(id, { as: bob })).event;
      const answered = attendees.map((entry: { self: boolean }) =>
        entry.self ? { ...entry, email: 'BOB@EXAMPLE.COM', responseStatus: 'declined' } : entry,
      );
      const patched = await gateway.patch(id, { attendees: answered }, { as: bob });
      expect(patched.problems).toEqual([]);
      expect((await gateway.read(id)).event.attendees).toMatchObject([
        { responseStatus: 'declined' },
        { email: carol, responseStatus: 'tentative' },
        {},
      ]);
    });

    test('may not respell the address of another', async () => {
      const id = await withGuests();
      const attendees = [...guests.slice(0, 1), { ...guests[1], email: 'Carol@elsewhere.example' }, ...guests.slice(2)];
      expect((await gateway.patch(id, { attendees }, { as: bob })).problems).toEqual([
        'FORBIDDEN event.attendees forbiddenForNonOrganizer',
      ]);
    });
  });
});
