import {
  alice,
  berlin,
  bob,
  fritz,
  hour,
  idOnly,
  many,
  people,
  rita,
  startEvents,
  text,
  told,
  useEvents,
} from './event.harness.ts';
import { daily, guests, list, syncTokenOf, type ListPage, type ListVariables } from './list.harness.ts';
import { useForEach } from '../started.ts';

const env = { SIGNING_SECRET: 'a secret that more than one process may share' };
const ids = (count: number): string[] => many(count, (index) => `e${String(index).padStart(4, '0')}`);
const withEvents = (count: number): Parameters<typeof startEvents> => {
  const events = ids(count).map((id) => ({ id, ...hour, ...guests(bob) }));
  return [{ seed: { calendars: people(events) } }, env];
};

describe('the pages of a list', () => {
  const gateway = useForEach(() => startEvents(...withEvents(7)));

  /** All pages from a cursor on, with what happens between them. */
  async function pages(variables: ListVariables, between?: (page: number) => Promise<unknown>) {
    const found: ListPage[] = [];
    for (let after = variables.after ?? null, number = 1; ; number += 1) {
      const page = await list(gateway, { ...variables, after });
      expect(page.problems).toEqual([]);
      found.push(page);
      if (!page.hasNextPage) return found;
      after = page.endCursor;
      await between?.(number);
    }
  }
  const idsOf = (found: readonly ListPage[]): string[] => found.flatMap((page) => page.ids);
  const changed = (id: string) => gateway.change(id, { summary: 'New' });
  const cancel = (id: string) => gateway.change(id, { status: 'cancelled' });

  test.each([1, 2, 3, 6, 7, 8, 2500])(
    'of %i have every event once, in the order in which they came; only the last has a token',
    async (first) => {
      const found = await pages({ first });
      expect([idsOf(found), found.length]).toEqual([ids(7), Math.ceil(7 / first)]);
      expect(found.slice(0, -1).every((page) => page.ids.length === first)).toBe(true);
      for (const [index, page] of found.entries()) {
        expect(page.hasPreviousPage).toBe(index > 0);
        expect(page.nextSyncToken !== null).toBe(index === found.length - 1);
        expect([page.cursors.at(0), page.cursors.at(-1)]).toEqual([page.startCursor, page.endCursor]);
      }
    },
  );

  test('go on behind any entry; of an empty calendar there is one', async () => {
    const { cursors } = await list(gateway);
    for (const [index, after] of cursors.entries())
      expect((await list(gateway, { after })).ids).toEqual(ids(7).slice(index + 1));
    const none = await list(gateway, { as: 'carol@example.com' });
    expect(none).toMatchObject({ ids: [], hasNextPage: false, hasPreviousPage: false, endCursor: null });
    expect(none.nextSyncToken).toEqual(expect.any(String));
  });

  test.each<[string, (page: number) => Promise<unknown>, string[]]>([
    ['an event changes', () => changed('e0000'), ids(7)],
    ['one that was not listed yet changes', () => changed('e0006'), ids(7)],
    [
      'events are added: they come at the end',
      (page) => gateway.make({ id: `added${page}` }),
      [...ids(7), 'added1', 'added2', 'added3', 'added4', 'added5'],
    ],
    ['one that was listed is cancelled', (page) => cancel(`e000${page - 1}`), ids(7)],
    ['one that was not is cancelled', () => cancel('e0006'), ids(6)],
  ])('keep their order while %s', async (_name, between, expected) => {
    const found = idsOf(await pages({ first: 2 }, between));
    expect(found).toEqual(expected.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(Math.min(expected.length, 9));
  });

  test('of an incremental list have each changed event once, and their token covers what changed meanwhile', async () => {
    const syncToken = await syncTokenOf(gateway);
    for (const id of ['e0005', 'e0001', 'e0003']) await changed(id);
    const found = await pages({ syncToken, first: 1 }, () => gateway.patch('e0001', { summary: 'Newer' }));
    expect(idsOf(found).toSorted()).toEqual(['e0001', 'e0003', 'e0005']);
    const rest = await list(gateway, { syncToken: found.at(-1)?.nextSyncToken });
    expect(rest.nodes).toMatchObject([{ id: 'e0001', summary: 'Newer' }]);
    expect((await list(gateway, { syncToken })).ids.toSorted()).toEqual(['e0001', 'e0003', 'e0005']);
    const later = () => list(gateway, { syncToken: rest.nextSyncToken });
    expect(await later()).toMatchObject({ ids: [], hasNextPage: false });
    await cancel('e0002');
    expect((await later()).nodes).toMatchObject([{ id: 'e0002', status: 'cancelled' }]);
  });

  test('of one copy do not have what another keeps to itself', async () => {
    const [hers, his] = [await syncTokenOf(gateway), await syncTokenOf(gateway, { as: bob })];
    await gateway.change('e0001', { colorId: '1' }, { as: bob });
    expect((await list(gateway, { syncToken: hers })).ids).toEqual([]);
    expect((await list(gateway, { syncToken: his, as: bob })).ids).toEqual(['e0001']);
  });

  test('with updatedMin and many that do not fit have those that do', async () => {
    const { updated } = await changed('e0006');
    expect(idsOf(await pages({ updatedMin: updated, first: 1 }))).toEqual(['e0006']);
    const after = new Date(Date.parse(updated) + 1).toISOString();
    expect(idsOf(await pages({ updatedMin: after, first: 1 }))).toEqual([]);
  });
});

describe('the arguments of a list', () => {
  const gateway = useEvents(...withEvents(251));
  let [syncToken, cursor] = ['', ''];
  beforeAll(async () => {
    syncToken = await syncTokenOf(gateway);
    cursor = (await list(gateway, { first: 1 })).endCursor as string;
  });
  const refused = async (variables: ListVariables, argument: string, of = gateway): Promise<void> => {
    const { problems, answer } = await list(of, variables);
    expect([problems, answer.event]).toEqual([[`BAD_USER_INPUT ${argument} invalid`], null]);
    expect(answer.errors?.[0]?.message).toMatch(/leave it out/i);
  };

  test.each([0, -1, 2501, 2_147_483_647])('first %i is refused, with what is allowed', async (first) => {
    const { problems, answer } = await list(gateway, { first });
    expect(problems).toEqual(['BAD_USER_INPUT first invalid']);
    expect(answer.errors?.[0]?.message).toMatch(/1 to 2500/);
  });

  test.each([
    [2500, 251],
    [1, 1],
    [undefined, 250],
    [null, 250],
  ])('first %p gives %i of 251', async (first, count) => {
    expect((await list(gateway, { first })).ids).toHaveLength(count);
  });

  const tampered = (token: string, index: number): string =>
    token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
  test.each<[string, (token: string) => string]>([
    ['garbage', () => 'garbage'],
    ['an empty string', () => ''],
    ['a dot', () => '.'],
    ['a long string', () => 'x'.repeat(10_000)],
    ['other characters', () => 'ключ.🙂'],
    ['more behind it', (token) => `${token}.x`],
    ['one cut short', (token) => token.slice(0, -1)],
    ['a changed character', (token) => tampered(token, 0)],
    ['a changed end', (token) => tampered(token, token.length - 2)],
  ])('%s is no token and no cursor', async (_name, change) => {
    await refused({ syncToken: change(syncToken) }, 'syncToken');
    await refused({ after: change(cursor) }, 'after');
  });

  test('tokens and cursors go with their kind, calendar, selection, store and secret', async () => {
    await refused({ syncToken: cursor }, 'syncToken');
    await refused({ after: syncToken }, 'after');
    await refused({ as: bob, syncToken }, 'syncToken');
    await refused({ as: bob, after: cursor }, 'after');
    for (const selection of [{ showDeleted: true }, { updatedMin: '2020-01-01T00:00:00Z' }])
      await refused({ after: cursor, ...selection }, 'after');
    for (const secret of [env, { SIGNING_SECRET: 'another secret that also has more than 32 bytes' }]) {
      const other = await startEvents({ seed: { calendars: people([{ id: 'other0', ...hour }]) } }, secret);
      await refused({ syncToken }, 'syncToken', other);
      await refused({ after: cursor }, 'after', other);
      await other.close();
    }
    for (const variables of [{ syncToken }, { after: cursor }])
      expect((await list(gateway, { calendarId: 'primary', ...variables })).problems).toEqual([]);
    expect(syncToken + cursor).not.toContain(env.SIGNING_SECRET);
  });

  test('all that is wrong with them comes at once; null counts as absent', async () => {
    const wrong = { first: 0, updatedMin: '2020-01-01T00:00:00Z', syncToken: 'x', after: 'y' };
    const { problems } = await list(gateway, wrong);
    expect(problems.toSorted()).toEqual(
      ['after', 'first', 'syncToken', 'updatedMin'].map((argument) => `BAD_USER_INPUT ${argument} invalid`),
    );
    const absent = { showDeleted: null, updatedMin: null, syncToken: null, after: null, first: null };
    expect((await list(gateway, absent)).ids).toHaveLength(250);
  });

  test.each(['2026-12-01T10:00:00', '2026-12-01', 'yesterday', ''])(
    'updatedMin %j is an error',
    async (updatedMin) => {
      expect((await list(gateway, { updatedMin })).problems).toEqual(['BAD_USER_INPUT updatedMin invalid']);
    },
  );
});

describe('which events a list has', () => {
  let now = Date.UTC(2027, 0, 1);
  const gateway = useEvents({ clock: () => now });
  const cancelBy = (as: string) => (id: string) => gateway.change(id, { status: 'cancelled' }, { as });
  const restore = async (id: string) => {
    await cancelBy(alice)(id);
    await gateway.change(id, { status: 'confirmed' });
  };

  /** How an event is listed: in a list without arguments, with showDeleted, and without it in one of changes. */
  const there = { plain: 'in full', showDeleted: 'in full', changes: 'in full' };
  const cancelled = { plain: 'not at all', showDeleted: 'in full', changes: 'by its id' };
  const gone = { plain: 'not at all', showDeleted: 'by its id', changes: 'by its id' };
  const requests = [
    ['plain', 'plain'],
    ['showDeleted', 'showDeleted'],
    ['syncToken', 'changes'],
    ['syncToken and showDeleted', 'showDeleted'],
    ['updatedMin', 'changes'],
    ['updatedMin and showDeleted', 'showDeleted'],
  ] as const;
  const cases: readonly (readonly [string, string, (id: string) => Promise<unknown>, typeof there])[] = [
    ['an event that takes place', alice, async () => undefined, there],
    ['a restored event', alice, restore, there],
    ['a cancelled one, on the organizer’s calendar', alice, (id) => cancelBy(alice)(id), cancelled],
    ['a cancelled one, on a guest’s calendar', bob, (id) => cancelBy(alice)(id), gone],
    ['one that the guest removed', bob, (id) => cancelBy(bob)(id), cancelled],
    ['one that the guest was taken off', bob, (id) => gateway.change(id, { attendees: [] }), gone],
    ['a cancelled one, for a free/busy reader', fritz, (id) => cancelBy(alice)(id), cancelled],
  ];
  test.each(
    cases.flatMap(([name, as, happens, shown]) =>
      requests.map(([request, kind]) => ({ name, as, happens, request, shown: shown[kind] })),
    ),
  )('$request, $name: $shown', async ({ as, happens, request, shown }) => {
    now += 3_600_000;
    const calendarId = as === bob ? bob : alice;
    const updatedMin = new Date(now).toISOString().replace('Z', '+00:00');
    const variables: ListVariables = {
      as,
      calendarId,
      ...(request.includes('syncToken') && { syncToken: await syncTokenOf(gateway, { as, calendarId }) }),
      ...(request.includes('updatedMin') && { updatedMin }),
      ...(request.includes('showDeleted') && { showDeleted: true }),
    };
    const { id } = await gateway.make({ summary: 'Plan', ...guests(bob) });
    await happens(id);
    const { nodes, problems } = await list(gateway, variables, true);
    const found = nodes.filter((event) => event.id === id);
    expect([problems, found.length]).toEqual([[], shown === 'not at all' ? 0 : 1]);
    if (shown === 'by its id') expect([told(found[0]), found[0].status]).toEqual([idOnly, 'cancelled']);
    if (shown === 'in full') expect(found[0]).toEqual(await gateway.on(calendarId, id, as));
    if (request.includes('syncToken')) expect(nodes).toHaveLength(1);
  });

  test('updatedMin takes what was updated at that moment and later; a reader is shown details, but no private ones', async () => {
    now += 3_600_000;
    const start = { ...hour.start, timeZone: berlin };
    const { updated, id } = await gateway.make({ visibility: 'private', start });
    const since = async (shift: number): Promise<string[]> =>
      (await list(gateway, { updatedMin: new Date(Date.parse(updated) + shift).toISOString() })).ids;
    for (const shift of [-1, 0]) expect(await since(shift)).toContain(id);
    expect(await since(1)).not.toContain(id);
    const { nodes } = await list(gateway, { as: rita, calendarId: alice, updatedMin: updated }, true);
    expect(nodes).toMatchObject([{ id, summary: null, attendees: null, end: hour.end }]);
  });
});

describe('a series in a list, and its instances', () => {
  const gateway = useEvents();
  let id: string;
  beforeAll(async () => {
    ({ id } = await gateway.make({ ...daily, recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=251'] }));
  });
  const events = `query ($q: String, $own: [String!], $timeMin: DateTime, $timeMax: DateTime) {
    result: events(calendarId: "primary", q: $q, privateExtendedProperty: $own, timeMin: $timeMin, timeMax: $timeMax) { nodes { id } } }`;
  const instances = `query ($eventId: String!, $timeMin: DateTime, $timeMax: DateTime, $first: Int, $after: String) {
    result: instances(calendarId: "primary", eventId: $eventId, timeMin: $timeMin, timeMax: $timeMax, first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;

  test.each([
    ['counts', '2026-12-01T09:59:00+01:00', '2026-12-01T10:01:00+01:00'],
    ['counts', '2026-12-03T10:59:00+01:00', '2026-12-03T12:00:00+01:00'],
    ['does not count', '2026-12-01T11:00:00+01:00', '2026-12-03T10:00:00+01:00'],
    ['does not count', '2026-11-01T00:00:00+01:00', '2026-12-01T10:00:00+01:00'],
  ])('%s as a whole from %s to %s, as one of its occurrences does', async (verdict, timeMin, timeMax) => {
    const { event } = await gateway.run(events, { timeMin, timeMax });
    expect(event.nodes).toEqual(verdict === 'counts' ? [{ id }] : []);
  });

  test.each<[string, object, string]>([
    ['a search of 1025 characters', { q: text(1025) }, 'q tooLong'],
    ['21 properties', { own: many(21, (index) => `k${index}=v`) }, 'privateExtendedProperty tooMany'],
  ])('are not searched with %s', async (_name, variables, problem) => {
    expect((await gateway.run(events, variables)).problems).toEqual([`BAD_USER_INPUT ${problem}`]);
  });

  const upsideDown = { timeMin: '2026-12-03T00:00:00Z', timeMax: '2026-12-02T00:00:00Z' };
  test.each<[string, object, string]>([
    ['of no event', { eventId: 'nosuchevent' }, 'NOT_FOUND eventId notFound'],
    ['on a page of none', { first: 0 }, 'BAD_USER_INPUT first invalid'],
    ['in a time that ends before it begins', upsideDown, 'BAD_USER_INPUT timeMax invalid'],
    ['behind a cursor that is none', { after: 'x' }, 'BAD_USER_INPUT after invalid'],
  ])('are not told %s', async (_name, more, problem) => {
    const { problems, event } = await gateway.run(instances, { eventId: id, ...more });
    expect([problems, event]).toEqual([[problem], null]);
  });
  test('are not told behind a cursor of another time', async () => {
    const { endCursor: after } = (await gateway.run(instances, { eventId: id, first: 1 })).event.pageInfo;
    const { timeMin } = upsideDown;
    const { problems } = await gateway.run(instances, { eventId: id, timeMin, after });
    expect(problems).toEqual(['BAD_USER_INPUT after invalid']);
  });

  test.each([undefined, null])('come 250 on a page where first is %s', async (first) => {
    const { event } = await gateway.run(instances, { eventId: id, first });
    expect([event.nodes.length, event.pageInfo.hasNextPage]).toEqual([250, true]);
  });
});
