import { carol, issuesOf, people } from './import.harness.ts';
import { alice, berlin, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';

describe('events in a seed file, on several calendars', () => {
  let open: EventGateway[] = [];
  afterEach(async () => {
    for (const gateway of open) await gateway.close();
    open = [];
  });
  const start = async (...lists: (readonly object[])[]): Promise<EventGateway> => {
    const gateway = await startEvents([], { seed: { calendars: people(...lists) } });
    open.push(gateway);
    return gateway;
  };

  describe('one event on several calendars', () => {
    const shared = {
      ...hour,
      id: 'shared',
      organizer: { email: alice },
      creator: { email: alice },
      attendees: [{ email: bob }, { email: carol }],
    };
    const organizers = {
      ...shared,
      summary: 'As Alice has it',
      reminders: { useDefault: true },
      extendedProperties: { private: { a: '1' } },
    };
    const bobs = {
      ...shared,
      summary: 'An older title',
      reminders: { overrides: [{ method: 'popup', minutes: 7 }] },
      colorId: '3',
      locked: true,
    };
    const carols = {
      ...shared,
      summary: 'Another one',
      transparency: 'transparent',
      extendedProperties: { private: { c: '3' }, shared: { s: '4' } },
    };

    test.each<[string, (readonly [owner: string, bodies: readonly object[]])[]]>([
      [
        'the organizer first',
        [
          [alice, [organizers]],
          [bob, [bobs]],
          [carol, [carols]],
        ],
      ],
      [
        'the organizer in between',
        [
          [bob, [bobs]],
          [alice, [organizers]],
          [carol, [carols]],
        ],
      ],
      [
        'the organizer last',
        [
          [carol, [carols]],
          [bob, [bobs]],
          [alice, [organizers]],
        ],
      ],
    ])('%s: the organizer’s tells what all share, each copy keeps its own', async (_name, order) => {
      const seed = { calendars: order.map(([owner, events]) => ({ id: owner, owner, timeZone: berlin, events })) };
      const gateway = await startEvents([], { seed });
      open.push(gateway);
      const [forAlice, forBob, forCarol] = await Promise.all(
        [alice, bob, carol].map(async (as) => (await gateway.read('shared', { as })).event),
      );
      const core = { summary: 'As Alice has it', organizer: { email: alice }, status: 'confirmed' };
      expect(forAlice).toMatchObject({
        ...core,
        reminders: { useDefault: true },
        colorId: null,
        locked: false,
        extendedProperties: { private: { a: '1' }, shared: null },
      });
      expect(forBob).toMatchObject({
        ...core,
        reminders: bobs.reminders,
        colorId: '3',
        locked: true,
        transparency: 'opaque',
        extendedProperties: null,
      });
      expect(forCarol).toMatchObject({
        ...core,
        reminders: null,
        transparency: 'transparent',
        extendedProperties: { private: { c: '3' }, shared: null },
      });
      await gateway.patch('shared', { summary: 'Changed' });
      expect((await gateway.read('shared', { as: bob })).event.summary).toBe('Changed');
      expect((await gateway.read('shared', { as: carol })).event.summary).toBe('Changed');
    });

    test('a guest whose body is not in the file has a copy by the guest list', async () => {
      const gateway = await start([organizers], [bobs]);
      expect((await gateway.read('shared', { as: carol })).event).toMatchObject({ summary: 'As Alice has it', reminders: null });
      const early = await startEvents([], {
        seed: { calendars: [people([], [bobs], [])[1], ...people([organizers]).filter(({ id }) => id !== bob)] },
      });
      open.push(early);
      expect((await early.read('shared', { as: carol })).event).toMatchObject({ summary: 'As Alice has it', reminders: null });
    });

    test('a guest who is on an older list only has a mark of it', async () => {
      const seed = {
        calendars: [...people([], [bobs]).slice(1), ...people([{ ...organizers, attendees: [{ email: bob }] }]).slice(0, 1)],
      };
      const gateway = await startEvents([], { seed });
      open.push(gateway);
      expect((await gateway.read('shared', { as: carol })).event).toMatchObject({
        id: 'shared',
        status: 'cancelled',
        summary: null,
      });
      expect((await gateway.read('shared', { as: bob })).event).toMatchObject({ colorId: '3', status: 'confirmed' });
    });

    test.each<[string, string[]]>([
      ['after', [alice, bob]],
      ['before', [bob, alice]],
    ])('a copy its guest took off the calendar, %s the organizer’s body', async (_name, order) => {
      const bodies = new Map<string, object>([
        [alice, organizers],
        [bob, { ...bobs, status: 'cancelled' }],
      ]);
      const seed = { calendars: order.map((owner) => ({ id: owner, owner, timeZone: berlin, events: [bodies.get(owner)] })) };
      const gateway = await startEvents([], { seed });
      open.push(gateway);
      expect((await gateway.read('shared')).event.status).toBe('confirmed');
      expect((await gateway.read('shared', { as: bob })).event.status).toBe('cancelled');
      expect((await gateway.patch('shared', { status: 'confirmed' }, { as: bob })).event.status).toBe('confirmed');
    });

    test('the same copy twice is an issue', async () => {
      expect(await issuesOf([organizers], [bobs, bobs])).toEqual(['calendars[1].events[1].id duplicate']);
    });

    test('told apart by iCalUID: another event under the same id stays by itself', async () => {
      const other = { ...hour, id: 'shared', iCalUID: 'other@elsewhere.example', summary: 'Bob’s own' };
      const seed = { calendars: [...people([], [other]).slice(1), ...people([organizers]).slice(0, 1)] };
      const gateway = await startEvents([], { seed });
      open.push(gateway);
      expect((await gateway.read('shared', { as: bob })).event).toMatchObject({
        summary: 'Bob’s own',
        organizer: { email: bob },
      });
      expect((await gateway.read('shared')).event.summary).toBe('As Alice has it');
      const bobsPage = await gateway.stores.events.listEvents({ calendarId: bob, limit: 5 });
      expect(bobsPage?.entries).toHaveLength(2);
    });

    test('a private copy stays by itself', async () => {
      const gateway = await startEvents([], {
        seed: { calendars: [...people([], [{ ...bobs, privateCopy: true }]).slice(1), ...people([organizers]).slice(0, 1)] },
      });
      open.push(gateway);
      expect((await gateway.read('shared', { as: bob })).event).toMatchObject({ summary: 'An older title', privateCopy: true });
      expect((await gateway.read('shared')).event.summary).toBe('As Alice has it');
      // Behind the organizer's body its place is taken.
      expect(await issuesOf([organizers], [{ ...bobs, privateCopy: true }])).toEqual(['calendars[1].events[0].id duplicate']);
    });
  });
});
