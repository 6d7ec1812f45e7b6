import { alice, berlin, bob, hour, startEvents, type EventGateway } from './event-http.harness.ts';
import { listShort, syncTokenOf, twoCalendars, type ListVariables } from './list.harness.ts';

const ids = (count: number, prefix = 'e'): string[] => Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, '0')}`);
const seeded = (count: number, events: object[] = []) =>
  startEvents([], { seed: twoCalendars(berlin, [...ids(count).map((id) => ({ id, ...hour, attendees: [{ email: bob }] })), ...events]) });

describe('the pages of a list', () => {
  let gateway: EventGateway;
  beforeEach(async () => {
    gateway = await seeded(7);
  });
  afterEach(() => gateway.close());

  /** All pages from a cursor on, with what happens between them. */
  async function pages(variables: ListVariables, between: (page: number) => Promise<unknown> = async () => undefined) {
    const found = [];
    for (let after = variables.after ?? null, number = 1; ; number += 1) {
      const page = await listShort(gateway, { ...variables, after });
      expect(page.problems).toEqual([]);
      found.push(page);
      if (!page.hasNextPage) return found;
      after = page.endCursor;
      await between(number);
    }
  }
  const idsOf = (found: readonly { ids: string[] }[]): string[] => found.flatMap((page) => page.ids);

  test.each([1, 2, 3, 6, 7, 8, 2500])('of %i have every event once, in the order in which they came', async (first) => {
    const found = await pages({ first });
    expect(idsOf(found)).toEqual(ids(7));
    expect(found.map((page) => page.ids.length).slice(0, -1).every((length) => length === first)).toBe(true);
    expect(found).toHaveLength(Math.ceil(7 / first));
  });

  test('tell where they lie, and only the last has a token', async () => {
    const found = await pages({ first: 3 });
    expect(found.map(({ hasNextPage, hasPreviousPage }) => [hasNextPage, hasPreviousPage])).toEqual([[true, false], [true, true], [false, true]]);
    expect(found.map(({ nextSyncToken }) => typeof nextSyncToken)).toEqual(['object', 'object', 'string']);
    for (const page of found) expect([page.cursors.at(0), page.cursors.at(-1)]).toEqual([page.answer.event.pageInfo.startCursor, page.endCursor]);
  });

  test('go on behind any entry', async () => {
    const { cursors } = await listShort(gateway);
    for (const [index, after] of cursors.entries()) expect((await listShort(gateway, { after })).ids).toEqual(ids(7).slice(index + 1));
  });

  test('of an empty calendar: one, without cursors, with a token', async () => {
    const empty = await startEvents([], { seed: twoCalendars(berlin) });
    const page = await listShort(empty);
    expect(page).toMatchObject({ ids: [], hasNextPage: false, hasPreviousPage: false, endCursor: null, nextSyncToken: expect.any(String) });
    await empty.close();
  });

  describe('keep their order while, between them,', () => {
    test('an event changes', async () => {
      const found = await pages({ first: 2 }, (page) => gateway.patch('e0000', { summary: `after page ${page}` }));
      expect(idsOf(found)).toEqual(ids(7));
    });

    test('an event that was not listed yet changes: it comes as it is then', async () => {
      const found = await pages({ first: 2 }, () => gateway.patch('e0006', { summary: 'New' }));
      expect(found.at(-1)?.nodes.at(-1)).toMatchObject({ id: 'e0006', summary: 'New' });
    });

    test('events are added: they come at the end', async () => {
      const found = await pages({ first: 3 }, (page) => gateway.insert({ ...hour, id: `added${page}` }));
      expect(idsOf(found)).toEqual([...ids(7), 'added1', 'added2']);
    });

    test('an event is cancelled: those behind it are not skipped', async () => {
      const found = await pages({ first: 2 }, (page) => gateway.patch(`e000${page - 1}`, { status: 'cancelled' }));
      expect(idsOf(found)).toEqual(ids(7));
      const next = await pages({ first: 2 }, () => gateway.patch('e0006', { status: 'cancelled' }));
      expect(idsOf(next)).toEqual(['e0003', 'e0004', 'e0005']);
    });

    test('the event at which the page ended is cancelled', async () => {
      const { endCursor } = await listShort(gateway, { first: 3 });
      await gateway.patch('e0002', { status: 'cancelled' });
      expect((await listShort(gateway, { first: 3, after: endCursor })).ids).toEqual(['e0003', 'e0004', 'e0005']);
    });

    test('an event is restored', async () => {
      await gateway.patch('e0000', { status: 'cancelled' });
      await gateway.patch('e0006', { status: 'cancelled' });
      const found = await pages({ first: 2 }, async () => {
        await gateway.patch('e0000', { status: 'confirmed' });
        await gateway.patch('e0006', { status: 'confirmed' });
      });
      expect(idsOf(found)).toEqual(ids(7).slice(1));
      expect((await listShort(gateway)).ids).toEqual(ids(7));
    });
  });

  describe('of an incremental list', () => {
    test('have each changed event once, and keep their order while more change', async () => {
      const syncToken = await syncTokenOf(gateway);
      for (const id of ['e0005', 'e0001', 'e0003']) await gateway.patch(id, { summary: 'New' });
      const found = await pages({ syncToken, first: 1 }, () => gateway.patch('e0001', { summary: 'Newer' }));
      expect(idsOf(found)).toEqual(['e0001', 'e0003', 'e0005']);
      const rest = await listShort(gateway, { syncToken: found.at(-1)?.nextSyncToken });
      expect(rest.nodes).toMatchObject([{ id: 'e0001', summary: 'Newer' }]);
    });

    test('are empty when nothing changed, and their token goes on', async () => {
      let syncToken: string | null = await syncTokenOf(gateway);
      for (let round = 0; round < 3; round += 1) {
        const page = await listShort(gateway, { syncToken });
        expect(page).toMatchObject({ ids: [], hasNextPage: false });
        syncToken = page.nextSyncToken;
      }
      await gateway.patch('e0004', { colorId: '1' });
      expect((await listShort(gateway, { syncToken })).ids).toEqual(['e0004']);
    });

    test('do not have what another copy keeps to itself', async () => {
      const syncToken = await syncTokenOf(gateway);
      const his = await syncTokenOf(gateway, { as: bob });
      await gateway.patch('e0001', { colorId: '1' }, { as: bob });
      expect((await listShort(gateway, { syncToken })).ids).toEqual([]);
      expect((await listShort(gateway, { syncToken: his, as: bob })).ids).toEqual(['e0001']);
    });

    test('a token can be used again', async () => {
      const syncToken = await syncTokenOf(gateway);
      await gateway.patch('e0001', { summary: 'New' });
      for (let round = 0; round < 2; round += 1) expect((await listShort(gateway, { syncToken })).ids).toEqual(['e0001']);
    });

    test('lose no event to many changes of another', async () => {
      const syncToken = await syncTokenOf(gateway);
      await gateway.patch('e0001', { summary: 'Once' });
      for (let count = 1; count <= 70; count += 1) await gateway.patch('e0000', { summary: `${count}` });
      const { nodes } = await listShort(gateway, { syncToken });
      expect(nodes).toMatchObject([{ id: 'e0000', summary: '70' }, { id: 'e0001', summary: 'Once' }]);
    });

    test('nextSyncToken covers what changed while the pages were read', async () => {
      const found = await pages({ first: 3 }, async (page) => {
        await gateway.patch('e0000', { status: 'cancelled' });
        await gateway.insert({ ...hour, id: `added${page}` });
      });
      const { nodes } = await listShort(gateway, { syncToken: found.at(-1)?.nextSyncToken });
      expect(nodes.map(({ id, status }) => `${id} ${status}`)).toEqual(['e0000 cancelled', 'added1 confirmed', 'added2 confirmed']);
    });
  });

  test('with updatedMin and many that do not fit have those that do', async () => {
    const { updated } = (await gateway.patch('e0006', { summary: 'New' })).event;
    const only = { updatedMin: updated, first: 1 };
    expect(idsOf(await pages(only))).toEqual(['e0006']);
    expect(idsOf(await pages({ ...only, updatedMin: new Date(Date.parse(updated) + 1).toISOString() }))).toEqual([]);
  });
});

describe('first', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    gateway = await seeded(2501);
  });
  afterAll(() => gateway.close());

  test.each([0, -1, 2501, 2_147_483_647])('%i is refused, with what is allowed', async (first) => {
    const { problems, answer } = await listShort(gateway, { first });
    expect(problems).toEqual(['BAD_USER_INPUT first invalid']);
    expect(answer.errors?.[0]?.message).toBe('first must be from 1 to 2500.');
  });

  test.each([[2500, 2500], [1, 1], [undefined, 250], [null, 250]])('%p gives %i events of 2501', async (first, count) => {
    const page = await listShort(gateway, { first });
    expect(page).toMatchObject({ problems: [], hasNextPage: true, nextSyncToken: null });
    expect(page.ids).toHaveLength(count);
  });

  test('2500 at the edge: one event less and there is no further page', async () => {
    await gateway.patch('e2500', { status: 'cancelled' }, { as: alice });
    const page = await listShort(gateway, { first: 2500 });
    expect([page.ids.length, page.hasNextPage, typeof page.nextSyncToken]).toEqual([2500, false, 'string']);
  });

  test('can differ from page to page', async () => {
    const { endCursor } = await listShort(gateway, { first: 2 });
    expect((await listShort(gateway, { first: 3, after: endCursor })).ids).toEqual(['e0002', 'e0003', 'e0004']);
  });
});
