import {
  alice,
  berlin,
  bob,
  oneHour,
  idOnlyFields,
  makeMany,
  sampleCalendars,
  startEventGateway,
  textOfLength,
  listPresentFields,
  useEventGateway,
  fritz,
  rita,
} from './event.harness.ts';
import {
  dailySeries,
  withGuests,
  readPage,
  readSyncToken,
  type ListPage,
  type ListVariables,
} from './list.harness.ts';
import { useForEach } from '../use-resource.ts';

const env = { SIGNING_SECRET: 'a secret that more than one process may share' };
const createIds = (count: number): string[] =>
  makeMany(count, (index) => `e${String(index).padStart(4, '0')}`);
const createStartArguments = (count: number): Parameters<typeof startEventGateway> => {
  const events = createIds(count).map((id) => ({ id, ...oneHour, ...withGuests(bob) }));
  return [{ seed: { calendars: sampleCalendars(events) } }, env];
};

describe('the pages of a list', () => {
  const gateway = useForEach(() => startEventGateway(...createStartArguments(7)));

  /** Reads all pages after a cursor, and calls `runBetweenPages` after each but the last. */
  async function readPages(
    variables: ListVariables,
    runBetweenPages?: (pageNumber: number) => Promise<unknown>,
  ) {
    const pages: ListPage[] = [];
    for (let after = variables.after ?? null, pageCount = 1; ; pageCount += 1) {
      const page = await readPage(gateway, { ...variables, after });
      expect(page.problems).toEqual([]);
      pages.push(page);
      if (!page.hasNextPage) return pages;
      after = page.endCursor;
      await runBetweenPages?.(pageCount);
    }
  }
  const idsOf = (pages: readonly ListPage[]): string[] => pages.flatMap((page) => page.ids);
  const renameEvent = (id: string) => gateway.changeEvent(id, { summary: 'New' });
  const cancelEvent = (id: string) => gateway.changeEvent(id, { status: 'cancelled' });
  const addEvent = (page: number) => gateway.makeEvent({ id: `added${page}` });
  const addedIds = [1, 2, 3, 4, 5].map((page) => `added${page}`);

  test.each([1, 2, 3, 6, 7, 8, 2500])(
    'of %i have every event once in order, and only the last has a sync token',
    async (first) => {
      const pages = await readPages({ first });
      expect([idsOf(pages), pages.length]).toEqual([createIds(7), Math.ceil(7 / first)]);
      expect(pages.slice(0, -1).every((page) => page.ids.length === first)).toBe(true);
      for (const [index, page] of pages.entries()) {
        expect(page.hasPreviousPage).toBe(index > 0);
        expect(page.nextSyncToken !== null).toBe(index === pages.length - 1);
        expect([page.cursors.at(0), page.cursors.at(-1)]).toEqual([page.startCursor, page.endCursor]);
      }
    },
  );

  test('continue after any entry; an empty calendar has one page', async () => {
    const { cursors } = await readPage(gateway);
    for (const [index, after] of cursors.entries())
      expect((await readPage(gateway, { after })).ids).toEqual(createIds(7).slice(index + 1));
    const emptyPage = await readPage(gateway, { as: 'carol@example.com' });
    expect(emptyPage).toMatchObject({ ids: [], hasNextPage: false, hasPreviousPage: false, endCursor: null });
    expect(emptyPage.nextSyncToken).toEqual(expect.any(String));
  });

  test.each<[string, (page: number) => Promise<unknown>, string[]]>([
    ['an event changes', () => renameEvent('e0000'), createIds(7)],
    ['a later event changes', () => renameEvent('e0006'), createIds(7)],
    ['events are added, which come last', addEvent, [...createIds(7), ...addedIds]],
    ['a listed event is cancelled', (page) => cancelEvent(`e000${page - 1}`), createIds(7)],
    ['a later event is cancelled', () => cancelEvent('e0006'), createIds(6)],
  ])('keep their order while %s', async (_name, changeList, expected) => {
    const listedIds = idsOf(await readPages({ first: 2 }, changeList));
    expect(listedIds).toEqual(expected.slice(0, listedIds.length));
    expect(listedIds.length).toBeGreaterThanOrEqual(Math.min(expected.length, 9));
  });

  test('of a sync have each changed event once, and their token includes concurrent changes', async () => {
    const syncToken = await readSyncToken(gateway);
    for (const id of ['e0005', 'e0001', 'e0003']) await renameEvent(id);
    const pages = await readPages({ syncToken, first: 1 }, () =>
      gateway.patch('e0001', { summary: 'Newer' }),
    );
    expect(idsOf(pages).toSorted()).toEqual(['e0001', 'e0003', 'e0005']);
    const syncAfterPages = await readPage(gateway, { syncToken: pages.at(-1)?.nextSyncToken });
    expect(syncAfterPages.nodes).toMatchObject([{ id: 'e0001', summary: 'Newer' }]);
    expect((await readPage(gateway, { syncToken })).ids.toSorted()).toEqual(['e0001', 'e0003', 'e0005']);
    const syncAgain = () => readPage(gateway, { syncToken: syncAfterPages.nextSyncToken });
    expect(await syncAgain()).toMatchObject({ ids: [], hasNextPage: false });
    await cancelEvent('e0002');
    expect((await syncAgain()).nodes).toMatchObject([{ id: 'e0002', status: 'cancelled' }]);
  });

  test("of one calendar do not have changes of another copy's own fields", async () => {
    const [aliceToken, bobToken] = [await readSyncToken(gateway), await readSyncToken(gateway, { as: bob })];
    await gateway.changeEvent('e0001', { colorId: '1' }, { as: bob });
    expect((await readPage(gateway, { syncToken: aliceToken })).ids).toEqual([]);
    expect((await readPage(gateway, { syncToken: bobToken, as: bob })).ids).toEqual(['e0001']);
  });

  test('with updatedMin skip events updated earlier', async () => {
    const { updated } = await renameEvent('e0006');
    expect(idsOf(await readPages({ updatedMin: updated, first: 1 }))).toEqual(['e0006']);
    const afterUpdate = new Date(Date.parse(updated) + 1).toISOString();
    expect(idsOf(await readPages({ updatedMin: afterUpdate, first: 1 }))).toEqual([]);
  });
});

describe('the arguments of a list', () => {
  const gateway = useEventGateway(...createStartArguments(251));
  let [syncToken, cursor] = ['', ''];
  beforeAll(async () => {
    syncToken = await readSyncToken(gateway);
    cursor = (await readPage(gateway, { first: 1 })).endCursor as string;
  });
  const expectRefused = async (variables: ListVariables, argument: string, target = gateway) => {
    const { problems, outcome } = await readPage(target, variables);
    expect([problems, outcome.event]).toEqual([[`BAD_USER_INPUT ${argument} invalid`], null]);
    expect(outcome.errors?.[0]?.message).toMatch(/leave it out/i);
  };

  test.each([0, -1, 2501, 2_147_483_647])('first %i is refused with the allowed range', async (first) => {
    const { problems, outcome } = await readPage(gateway, { first });
    expect(problems).toEqual(['BAD_USER_INPUT first invalid']);
    expect(outcome.errors?.[0]?.message).toMatch(/1 to 2500/);
  });

  test.each([
    [2500, 251],
    [1, 1],
    [undefined, 250],
    [null, 250],
  ])('first %p returns %i of 251', async (first, count) => {
    expect((await readPage(gateway, { first })).ids).toHaveLength(count);
  });

  const tamper = (token: string, index: number): string =>
    token.slice(0, index) + (token[index] === 'A' ? 'B' : 'A') + token.slice(index + 1);
  test.each<[string, (token: string) => string]>([
    ['garbage', () => 'garbage'],
    ['an empty string', () => ''],
    ['a dot', () => '.'],
    ['a long string', () => 'x'.repeat(10_000)],
    ['other characters', () => 'ключ.🙂'],
    ['a suffix', (token) => `${token}.x`],
    ['a truncated token', (token) => token.slice(0, -1)],
    ['a changed character', (token) => tamper(token, 0)],
    ['a changed end', (token) => tamper(token, token.length - 2)],
  ])('%s is refused as token and as cursor', async (_name, changeToken) => {
    await expectRefused({ syncToken: changeToken(syncToken) }, 'syncToken');
    await expectRefused({ after: changeToken(cursor) }, 'after');
  });

  test('tokens and cursors are valid only for their kind, calendar, selection, store and secret', async () => {
    await expectRefused({ syncToken: cursor }, 'syncToken');
    await expectRefused({ after: syncToken }, 'after');
    await expectRefused({ as: bob, syncToken }, 'syncToken');
    await expectRefused({ as: bob, after: cursor }, 'after');
    for (const selection of [{ showDeleted: true }, { updatedMin: '2020-01-01T00:00:00Z' }])
      await expectRefused({ after: cursor, ...selection }, 'after');
    for (const secret of [env, { SIGNING_SECRET: 'another secret that also has more than 32 bytes' }]) {
      const seed = { calendars: sampleCalendars([{ id: 'other0', ...oneHour }]) };
      const otherGateway = await startEventGateway({ seed }, secret);
      await expectRefused({ syncToken }, 'syncToken', otherGateway);
      await expectRefused({ after: cursor }, 'after', otherGateway);
      await otherGateway.close();
    }
    for (const variables of [{ syncToken }, { after: cursor }])
      expect((await readPage(gateway, { calendarId: 'primary', ...variables })).problems).toEqual([]);
    expect(syncToken + cursor).not.toContain(env.SIGNING_SECRET);
  });

  test('all problems of arguments are reported at once; null counts as absent', async () => {
    const invalidArguments = { first: 0, updatedMin: '2020-01-01T00:00:00Z', syncToken: 'x', after: 'y' };
    const { problems } = await readPage(gateway, invalidArguments);
    expect(problems.toSorted()).toEqual(
      ['after', 'first', 'syncToken', 'updatedMin'].map((argument) => `BAD_USER_INPUT ${argument} invalid`),
    );
    const nullArguments = { showDeleted: null, updatedMin: null, syncToken: null, after: null, first: null };
    expect((await readPage(gateway, nullArguments)).ids).toHaveLength(250);
  });

  const invalidTimes = ['2026-12-01T10:00:00', '2026-12-01', 'yesterday', ''];
  test.each(invalidTimes)('updatedMin %j is an error', async (updatedMin) => {
    const { problems } = await readPage(gateway, { updatedMin });
    expect(problems).toEqual(['BAD_USER_INPUT updatedMin invalid']);
  });
});

describe('the events of a list', () => {
  let now = Date.UTC(2027, 0, 1);
  const gateway = useEventGateway({ clock: () => now });
  const cancelBy = (as: string) => (id: string) => gateway.changeEvent(id, { status: 'cancelled' }, { as });
  const removeGuests = (id: string) => gateway.changeEvent(id, { attendees: [] });
  const cancelAndRestore = async (id: string) => {
    await cancelBy(alice)(id);
    await gateway.changeEvent(id, { status: 'confirmed' });
  };

  /** Visibility of an event in lists: without arguments, with showDeleted, and in a sync without showDeleted. */
  const confirmedVisibility = { plain: 'in full', showDeleted: 'in full', changes: 'in full' };
  const cancelledVisibility = { plain: 'not at all', showDeleted: 'in full', changes: 'by its id' };
  const removedVisibility = { plain: 'not at all', showDeleted: 'by its id', changes: 'by its id' };
  const requests = [
    ['plain', 'plain'],
    ['showDeleted', 'showDeleted'],
    ['syncToken', 'changes'],
    ['syncToken and showDeleted', 'showDeleted'],
    ['updatedMin', 'changes'],
    ['updatedMin and showDeleted', 'showDeleted'],
  ] as const;
  type Case = readonly [string, string, (id: string) => Promise<unknown>, typeof confirmedVisibility];
  const cases: readonly Case[] = [
    ['a confirmed event', alice, async () => undefined, confirmedVisibility],
    ['a restored event', alice, cancelAndRestore, confirmedVisibility],
    [
      'a cancelled event on the organizer’s calendar',
      alice,
      (id) => cancelBy(alice)(id),
      cancelledVisibility,
    ],
    ['a cancelled event on a guest’s calendar', bob, (id) => cancelBy(alice)(id), removedVisibility],
    ['an event that the guest deleted', bob, (id) => cancelBy(bob)(id), cancelledVisibility],
    ['an event that the guest was removed from', bob, removeGuests, removedVisibility],
    ['a cancelled event for a free/busy reader', fritz, (id) => cancelBy(alice)(id), cancelledVisibility],
  ];
  test.each(
    cases.flatMap(([name, as, applyChange, visibilities]) =>
      requests.map(([request, kind]) => ({ name, as, applyChange, request, shown: visibilities[kind] })),
    ),
  )('$request, $name: $shown', async ({ as, applyChange, request, shown }) => {
    now += 3_600_000;
    const calendarId = as === bob ? bob : alice;
    const updatedMin = new Date(now).toISOString().replace('Z', '+00:00');
    const variables: ListVariables = {
      as,
      calendarId,
      ...(request.includes('syncToken') && { syncToken: await readSyncToken(gateway, { as, calendarId }) }),
      ...(request.includes('updatedMin') && { updatedMin }),
      ...(request.includes('showDeleted') && { showDeleted: true }),
    };
    const { id } = await gateway.makeEvent({ summary: 'Plan', ...withGuests(bob) });
    await applyChange(id);
    const { nodes, problems } = await readPage(gateway, variables, /* includesAllFields */ true);
    const listedEvents = nodes.filter((event) => event.id === id);
    expect([problems, listedEvents.length]).toEqual([[], shown === 'not at all' ? 0 : 1]);
    if (shown === 'by its id')
      expect([listPresentFields(listedEvents[0]), listedEvents[0].status]).toEqual([
        idOnlyFields,
        'cancelled',
      ]);
    if (shown === 'in full') expect(listedEvents[0]).toEqual(await gateway.readOn(calendarId, id, as));
    if (request.includes('syncToken')) expect(nodes).toHaveLength(1);
  });

  test('updatedMin is inclusive, and readers see no private details', async () => {
    now += 3_600_000;
    const start = { ...oneHour.start, timeZone: berlin };
    const { updated, id } = await gateway.makeEvent({ visibility: 'private', start });
    const listSince = async (shiftMs: number): Promise<string[]> =>
      (await readPage(gateway, { updatedMin: new Date(Date.parse(updated) + shiftMs).toISOString() })).ids;
    for (const shift of [-1, 0]) expect(await listSince(shift)).toContain(id);
    expect(await listSince(1)).not.toContain(id);
    const { nodes } = await readPage(gateway, { as: rita, calendarId: alice, updatedMin: updated }, true);
    expect(nodes).toMatchObject([{ id, summary: null, attendees: null, end: oneHour.end }]);
  });
});

describe('a series in a list and its instances', () => {
  const gateway = useEventGateway();
  let id: string;
  beforeAll(async () => {
    ({ id } = await gateway.makeEvent({
      ...dailySeries,
      recurrence: ['RRULE:FREQ=DAILY;INTERVAL=2;COUNT=251'],
    }));
  });
  const eventsDocument = `query ($q: String, $own: [String!], $timeMin: DateTime, $timeMax: DateTime) {
    result: events(calendarId: "primary", q: $q, privateExtendedProperty: $own, timeMin: $timeMin, timeMax: $timeMax) { nodes { id } } }`;
  const instancesDocument = `query ($eventId: String!, $timeMin: DateTime, $timeMax: DateTime, $first: Int, $after: String) {
    result: instances(calendarId: "primary", eventId: $eventId, timeMin: $timeMin, timeMax: $timeMax, first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }`;

  test.each([
    ['is listed', '2026-12-01T09:59:00+01:00', '2026-12-01T10:01:00+01:00'],
    ['is listed', '2026-12-03T10:59:00+01:00', '2026-12-03T12:00:00+01:00'],
    ['is not listed', '2026-12-01T11:00:00+01:00', '2026-12-03T10:00:00+01:00'],
    ['is not listed', '2026-11-01T00:00:00+01:00', '2026-12-01T10:00:00+01:00'],
  ])('%s from %s to %s, by the times of its occurrences', async (verdict, timeMin, timeMax) => {
    const { event } = await gateway.run(eventsDocument, { timeMin, timeMax });
    expect(event.nodes).toEqual(verdict === 'is listed' ? [{ id }] : []);
  });

  test.each<[string, object, string]>([
    ['a search of 1025 characters', { q: textOfLength(1025) }, 'q tooLong'],
    ['21 properties', { own: makeMany(21, (index) => `k${index}=v`) }, 'privateExtendedProperty tooMany'],
  ])('refuses a search with %s', async (_name, variables, problem) => {
    expect((await gateway.run(eventsDocument, variables)).problems).toEqual([`BAD_USER_INPUT ${problem}`]);
  });

  const reversedRange = { timeMin: '2026-12-03T00:00:00Z', timeMax: '2026-12-02T00:00:00Z' };
  test.each<[string, object, string]>([
    ['a missing event', { eventId: 'nosuchevent' }, 'NOT_FOUND eventId notFound'],
    ['a page of 0', { first: 0 }, 'BAD_USER_INPUT first invalid'],
    ['a range that ends before its start', reversedRange, 'BAD_USER_INPUT timeMax invalid'],
    ['an invalid cursor', { after: 'x' }, 'BAD_USER_INPUT after invalid'],
  ])('refuses instances of %s', async (_name, moreVariables, problem) => {
    const { problems, event } = await gateway.run(instancesDocument, { eventId: id, ...moreVariables });
    expect([problems, event]).toEqual([[problem], null]);
  });
  test('refuses instances after a cursor of another range', async () => {
    const { endCursor: after } = (await gateway.run(instancesDocument, { eventId: id, first: 1 })).event
      .pageInfo;
    const { timeMin } = reversedRange;
    const { problems } = await gateway.run(instancesDocument, { eventId: id, timeMin, after });
    expect(problems).toEqual(['BAD_USER_INPUT after invalid']);
  });

  test.each([undefined, null])('has 250 instances on a page if first is %s', async (first) => {
    const { event } = await gateway.run(instancesDocument, { eventId: id, first });
    expect([event.nodes.length, event.pageInfo.hasNextPage]).toEqual([250, true]);
  });
});
