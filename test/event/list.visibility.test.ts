import { alice, berlin, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';
import { listEvents, syncTokenOf, twoCalendars, type ListVariables } from './list.harness.ts';

const rita = 'rita@example.com';
const fritz = 'fritz@example.com';
const idOnly = ['etag', 'id', 'kind', 'status', 'updated'];
const names = (event: object): string[] => Object.entries(event).filter(([, value]) => value !== null).map(([name]) => name).sort();

/** How an event is listed: not at all, by its id only, or in full. */
type Shown = 'absent' | 'id' | 'full';
const requests = ['plain', 'showDeleted', 'syncToken', 'syncToken and showDeleted', 'updatedMin', 'updatedMin and showDeleted'] as const;

/** The cases, each with how it is listed in each of the requests. */
const cases: readonly [name: string, as: string, make: (gateway: EventGateway) => Promise<string>, ...Shown[]][] = [
  ['an event that takes place', alice, (gateway) => made(gateway), 'full', 'full', 'full', 'full', 'full', 'full'],
  ['a tentative event', alice, (gateway) => made(gateway, { status: 'tentative' }), 'full', 'full', 'full', 'full', 'full', 'full'],
  ['an event its organizer cancelled, on the organizer’s calendar', alice, (gateway) => cancelled(gateway, alice), 'absent', 'full', 'id', 'full', 'id', 'full'],
  ['an event its organizer cancelled, on a guest’s calendar', bob, (gateway) => cancelled(gateway, alice), 'absent', 'id', 'id', 'id', 'id', 'id'],
  ['an event the guest removed, on the guest’s calendar', bob, (gateway) => cancelled(gateway, bob), 'absent', 'full', 'id', 'full', 'id', 'full'],
  ['an event the guest was taken off', bob, (gateway) => uninvited(gateway), 'absent', 'id', 'id', 'id', 'id', 'id'],
  ['a restored event', alice, async (gateway) => restored(gateway), 'full', 'full', 'full', 'full', 'full', 'full'],
];

async function made(gateway: EventGateway, more: object = {}): Promise<string> {
  return (await gateway.insert({ ...hour, summary: 'Plan', attendees: [{ email: bob }], ...more })).event.id;
}
async function cancelled(gateway: EventGateway, as: string): Promise<string> {
  const id = await made(gateway);
  await gateway.patch(id, { status: 'cancelled' }, { as });
  return id;
}
async function uninvited(gateway: EventGateway): Promise<string> {
  const id = await made(gateway);
  await gateway.patch(id, { attendees: [] });
  return id;
}
async function restored(gateway: EventGateway): Promise<string> {
  const id = await cancelled(gateway, alice);
  await gateway.patch(id, { status: 'confirmed' });
  return id;
}

describe('which events a list has', () => {
  let gateway: EventGateway;
  let now = Date.UTC(2027, 0, 1);
  beforeAll(async () => {
    const acl = [{ email: rita, role: 'reader' }, { email: fritz, role: 'freeBusyReader' }];
    gateway = await startEvents([], { seed: twoCalendars(berlin, [], acl), clock: () => now });
  });
  beforeEach(() => {
    now += 3_600_000;
  });
  afterAll(() => gateway.close());

  describe.each(requests.map((request, index) => ({ request, index })))('$request', ({ request, index }) => {
    test.each(cases.map(([name, as, make, ...shown]) => ({ name, as, make, shown: shown[index] as Shown })))('$name: $shown', async ({ as, make, shown }) => {
      const variables: ListVariables = {
        as,
        ...(request.includes('syncToken') && { syncToken: await syncTokenOf(gateway, { as }) }),
        ...(request.includes('updatedMin') && { updatedMin: new Date(now).toISOString() }),
        ...(request.includes('showDeleted') && { showDeleted: true }),
      };
      const id = await make(gateway);
      const { nodes, problems } = await listEvents(gateway, variables);
      expect(problems).toEqual([]);
      const found = nodes.filter((event) => event.id === id);
      expect(found).toHaveLength(shown === 'absent' ? 0 : 1);
      if (shown === 'id') {
        expect(names(found[0])).toEqual(idOnly);
        expect(found[0].status).toBe('cancelled');
      }
      const { event: alone } = await gateway.read(id, { as });
      if (shown === 'full') expect([found[0], alone.summary]).toEqual([alone, 'Plan']);
      expect(alone.id).toBe(id);
      if (request.includes('syncToken')) expect(nodes).toHaveLength(1);
    });
  });

  test('event finds a cancelled one in any case', async () => {
    const id = await cancelled(gateway, alice);
    for (const as of [alice, bob]) expect((await gateway.read(id, { as })).event).toMatchObject({ id, status: 'cancelled' });
  });

  test('null counts as absent for every argument', async () => {
    const id = await made(gateway);
    const nothing = { showDeleted: null, updatedMin: null, syncToken: null, after: null, first: null };
    expect((await listEvents(gateway, nothing)).ids).toContain(id);
  });

  describe('updatedMin', () => {
    test('takes what was updated at that moment and later, not a millisecond before', async () => {
      const { updated, id } = (await gateway.insert(hour)).event;
      const at = (shift: number): string => new Date(Date.parse(updated) + shift).toISOString();
      for (const [shift, expected] of [[-1, true], [0, true], [1, false]] as const) {
        expect((await listEvents(gateway, { updatedMin: at(shift) })).ids.includes(id)).toBe(expected);
      }
      const inZone = new Date(Date.parse(updated) + 3_600_000).toISOString().replace('Z', '+01:00');
      expect((await listEvents(gateway, { updatedMin: inZone })).ids).toContain(id);
    });

    test('counts a change of this copy, not one of another', async () => {
      const id = await made(gateway);
      now += 1000;
      const updatedMin = new Date(now).toISOString();
      await gateway.patch(id, { colorId: '2' }, { as: bob });
      expect((await listEvents(gateway, { updatedMin })).ids).toEqual([]);
      expect((await listEvents(gateway, { updatedMin, as: bob })).ids).toEqual([id]);
      await gateway.patch(id, { summary: 'New' });
      expect((await listEvents(gateway, { updatedMin })).ids).toEqual([id]);
    });

    test.each<[string, string]>([['without offset', '2026-12-01T10:00:00'], ['a day', '2026-12-01'], ['no time', 'yesterday'], ['empty', '']])(
      '%s is an error',
      async (_name, updatedMin) => {
        expect((await listEvents(gateway, { updatedMin })).problems).toEqual(['BAD_USER_INPUT updatedMin invalid']);
      },
    );

    test('does not go with syncToken', async () => {
      const syncToken = await syncTokenOf(gateway);
      const { problems, answer } = await listEvents(gateway, { syncToken, updatedMin: '2026-12-01T10:00:00Z' });
      expect(problems).toEqual(['BAD_USER_INPUT updatedMin invalid']);
      expect(answer.errors?.[0]?.message).toContain('Leave one out');
    });
  });

  describe('for those who may see less', () => {
    test('a free/busy reader sees times only', async () => {
      const id = await made(gateway, { visibility: 'public', location: 'Room 1' });
      const { nodes } = await listEvents(gateway, { as: fritz, calendarId: alice });
      const seen = nodes.find((event) => event.id === id);
      expect(seen).toMatchObject({ start: hour.start, end: hour.end, status: 'confirmed', transparency: 'opaque' });
      expect(names(seen)).toEqual([...idOnly, 'start', 'end', 'endTimeUnspecified', 'transparency', 'visibility'].sort());
    });

    test('a reader sees details, but of private events the time only', async () => {
      const [open, closed] = [await made(gateway), await made(gateway, { visibility: 'private' })];
      const { nodes } = await listEvents(gateway, { as: rita, calendarId: alice });
      expect(nodes.find((event) => event.id === open).summary).toBe('Plan');
      expect(nodes.find((event) => event.id === closed)).toMatchObject({ summary: null, attendees: null, start: hour.start });
    });

    test('a cancelled event has its id only for those who follow changes, and times where deleted ones are shown', async () => {
      const id = await cancelled(gateway, alice);
      const as = { as: fritz, calendarId: alice };
      const one = async (variables: ListVariables) => (await listEvents(gateway, { ...as, ...variables })).nodes.find((event) => event.id === id);
      expect(await one({})).toBeUndefined();
      expect(names(await one({ updatedMin: new Date(now).toISOString() }))).toEqual(idOnly);
      expect(await one({ showDeleted: true })).toMatchObject({ status: 'cancelled', start: hour.start, summary: null });
    });
  });
});
