import { alice, berlin, bob, hour, startEvents, type EventGateway, type Outcome } from './event-http.harness.ts';

const carol = 'carol@example.com';
const dana = 'dana@elsewhere.example';
const [wanda, rita, fritz, norma, sten] = ['wanda', 'rita', 'fritz', 'norma', 'sten'].map((name) => `${name}@example.com`) as [
  string, string, string, string, string,
];
const nowhere = 'nowhere@example.com';
const source = { title: 'Tracker', url: 'https://tracker.example/1' };
const newSource = { title: 'Wiki', url: 'https://wiki.example/2' };
const booleans = [true, false];
const flagSets = booleans.flatMap((guestsCanModify) =>
  booleans.flatMap((guestsCanInviteOthers) =>
    booleans.map((guestsCanSeeOtherGuests) => ({ guestsCanModify, guestsCanInviteOthers, guestsCanSeeOtherGuests })),
  ),
);

const acl = Object.entries({ [carol]: 'writer', [wanda]: 'writer', [rita]: 'reader', [fritz]: 'freeBusyReader', [norma]: 'none' }).map(
  ([email, role]) => ({ email, role }),
);
const event = (id: string, more: object = {}) => ({
  id, summary: 'Plan', ...hour, creator: { email: carol }, source, attendees: [{ email: bob }, { email: carol }, { email: dana }], ...more,
});
const list = `query ($calendarId: String!) { result: events(calendarId: $calendarId) { nodes { id summary } } }`;

describe('roles on a calendar', () => {
  let gateway: EventGateway;
  beforeAll(async () => {
    const events = [
      event('plan'), event('mine', { creator: { email: alice } }), event('denied'),
      ...['a', 'b', 'c', 'd'].map((of) => event(`drop${of}`)),
      ...flagSets.flatMap((flags, index) => [event(`flag${index}`, flags), event(`drop${index}`, flags)]),
      { id: 'dinner', summary: 'Dinner', ...hour, visibility: 'private' },
    ];
    gateway = await startEvents([], {
      seed: {
        calendars: [
          { id: alice, owner: alice, timeZone: berlin, acl, events },
          ...[bob, carol].map((owner) => ({ id: owner, owner, timeZone: berlin })),
        ],
      },
    });
  });
  afterAll(() => gateway.close());

  describe.each([
    ['the owner', alice, 'ok', 'ok', 'ok'],
    ['a writer', wanda, 'ok', 'ok', 'ok'],
    ['a reader', rita, 'ok', 'ok', 'FORBIDDEN calendarId forbidden'],
    ['a free/busy reader', fritz, 'ok', 'ok', 'FORBIDDEN calendarId forbidden'],
    ['somebody listed with the role none', norma, ...Array(3).fill('NOT_FOUND calendarId notFound')],
    ['a stranger', sten, ...Array(3).fill('NOT_FOUND calendarId notFound')],
    ['a guest of an event on it, who is a stranger to it', bob, ...Array(3).fill('NOT_FOUND calendarId notFound')],
  ] as string[][])('%s', (_name, as = '', mayRead, mayList, mayWrite) => {
    const result = ({ problems }: Outcome): string => problems[0] ?? 'ok';

    test(`reads an event: ${mayRead}`, async () => {
      expect(result(await gateway.read('plan', { as, calendarId: alice }))).toBe(mayRead);
    });
    test(`lists the events: ${mayList}`, async () => {
      expect(result(await gateway.run(list, { calendarId: alice }, as))).toBe(mayList);
    });
    test(`patches an event: ${mayWrite}`, async () => {
      expect(result(await gateway.patch('plan', { colorId: '3' }, { as, calendarId: alice }))).toBe(mayWrite);
    });
    test(`inserts an event: ${mayWrite}`, async () => {
      expect(result(await gateway.insert(hour, { as, calendarId: alice }))).toBe(mayWrite);
    });
  });

  describe('what a stranger gets is what a calendar that does not exist gives, byte by byte', () => {
    const bytes = ({ body, status }: Outcome): string => `${status} ${body.replace(/"requestId":"[^"]*"/, '"requestId":""')}`;
    const operations: [string, (calendarId: string, as: string) => Promise<Outcome>][] = [
      ['event', (calendarId, as) => gateway.read('plan', { as, calendarId })],
      ['event with an unknown id', (calendarId, as) => gateway.read('unknown', { as, calendarId })],
      ['events', (calendarId, as) => gateway.run(list, { calendarId }, as)],
      ['events with wrong arguments', (calendarId, as) => gateway.run(`query ($calendarId: String!) { result: events(calendarId: $calendarId, first: 0, syncToken: "x") { nodes { id } } }`, { calendarId }, as)],
      ['patchEvent', (calendarId, as) => gateway.patch('plan', { summary: 'x' }, { as, calendarId })],
      ['patchEvent with faults', (calendarId, as) => gateway.patch('plan', { colorId: '99' }, { as, calendarId, maxAttendees: 0, ifMatch: '"x"' })],
      ['insertEvent', (calendarId, as) => gateway.insert(hour, { as, calendarId })],
      ['insertEvent with a taken id', (calendarId, as) => gateway.insert({ ...hour, id: 'plan1' }, { as, calendarId })],
      ['insertEvent of an instance', (calendarId, as) => gateway.insert({ ...hour, recurringEventId: 'plan' }, { as, calendarId, validateOnly: true })],
    ];
    test.each(operations)('%s', async (_name, run) => {
      const missing = bytes(await run(nowhere, sten));
      expect(missing).toContain('NOT_FOUND');
      for (const as of [sten, norma, bob]) expect(bytes(await run(alice, as))).toBe(missing);
      expect(bytes(await run('primary', sten))).toBe(missing);
    });
  });

  test('an unknown event is told to those who may look', async () => {
    for (const as of [alice, rita, fritz]) {
      expect((await gateway.read('unknown', { as, calendarId: alice })).problems).toEqual(['NOT_FOUND eventId notFound']);
    }
    expect((await gateway.patch('unknown', {})).problems).toEqual(['NOT_FOUND eventId notFound']);
  });

  describe('source', () => {
    const denied = ['FORBIDDEN event.source.title forbidden', 'FORBIDDEN event.source.url forbidden'];

    test.each<[string, string, string, string, typeof source | null]>([
      ['the creator as a writer', 'plan', carol, alice, source],
      ['the creator on the own copy', 'plan', carol, carol, source],
      ['the organizer who created the event', 'mine', alice, alice, source],
      ['the organizer, where somebody else created it', 'plan', alice, alice, null],
      ['another writer', 'plan', wanda, alice, null],
      ['a reader', 'plan', rita, alice, null],
      ['a guest', 'plan', bob, bob, null],
    ])('is seen by the creator only: %s', async (_name, id, as, calendarId, seen) => {
      expect((await gateway.read(id, { as, calendarId })).event.source).toEqual(seen);
    });

    test.each<[string, string, string]>([
      ['the organizer', alice, alice],
      ['another writer', wanda, alice],
      ...flagSets.map((flags, index): [string, string, string] => [`a guest with ${JSON.stringify(flags)}`, bob, `flag${index}`]),
    ])('cannot be set by %s', async (_name, as, id) => {
      const place = as === bob ? { as } : { as, calendarId: alice };
      const eventId = as === bob ? id : 'denied';
      expect((await gateway.patch(eventId, { source: newSource }, place)).problems).toEqual(denied);
      expect((await gateway.read(eventId, { as: carol, calendarId: alice })).event.source).toEqual(source);
    });

    test.each([alice, carol])('is changed by the creator, on %s', async (calendarId) => {
      const changed = { ...newSource, title: `Wiki on ${calendarId}` };
      const { event: after, notes } = await gateway.patch('flag0', { source: changed }, { as: carol, calendarId });
      expect({ source: after.source, notes }).toEqual({ source: changed, notes: [] });
    });

    test('is not lost when somebody who does not see it sends the event back', async () => {
      for (const [as, calendarId] of [[alice, alice], [wanda, alice], [bob, bob]] as const) {
        const { event: read } = await gateway.read('denied', { as, calendarId });
        const back = await gateway.patch('denied', { ...read, colorId: '2' }, { as, calendarId });
        expect(back.problems).toEqual([]);
        expect((await gateway.patch('denied', { source: null }, { as, calendarId })).problems).toEqual([]);
      }
      expect((await gateway.read('denied', { as: carol, calendarId: alice })).event.source).toEqual(source);
    });

    test('is removed by the creator with null', async () => {
      expect((await gateway.patch('flag1', { source: null }, { as: carol, calendarId: alice })).event.source).toBeNull();
    });
  });

  describe('status: cancelled', () => {
    test.each([['the organizer', alice], ['the creator', carol], ['a writer', wanda]])('from %s cancels the event for all', async (_name, as) => {
      const id = `drop${{ [alice]: 'a', [carol]: 'b', [wanda]: 'c' }[as]}`;
      expect((await gateway.patch(id, { status: 'cancelled' }, { as, calendarId: alice })).event.status).toBe('cancelled');
      expect((await gateway.read(id, { as: bob })).event.status).toBe('cancelled');
    });

    test.each(flagSets.map((flags, index) => ({ flags, index })))('from a guest takes it off the own calendar only: $flags', async ({ index }) => {
      expect((await gateway.patch(`drop${index}`, { status: 'cancelled' }, { as: bob })).event.status).toBe('cancelled');
      expect((await gateway.read(`drop${index}`)).event.status).toBe('confirmed');
      expect((await gateway.read(`drop${index}`, { as: carol })).event.status).toBe('confirmed');
    });

    test('from a reader is refused', async () => {
      const answer = await gateway.patch('dropd', { status: 'cancelled' }, { as: rita, calendarId: alice });
      expect(answer.problems).toEqual(['FORBIDDEN calendarId forbidden']);
      expect((await gateway.read('dropd')).event.status).toBe('confirmed');
    });
  });

  test('the owner of a calendar may invite to an event of somebody else, also when it has no guest list', async () => {
    const imported = { id: 'party', summary: 'Party', ...hour, organizer: { email: dana } };
    const seed = { calendars: [{ id: alice, owner: alice, timeZone: berlin, events: [imported, { ...imported, id: 'closed', guestsCanInviteOthers: false }] }] };
    const other = await startEvents([], { seed });
    const attendees = [{ email: bob }];
    expect((await other.patch('party', { attendees })).problems).toEqual([]);
    expect((await other.patch('party', { summary: 'Mine' })).problems).toEqual(['FORBIDDEN event.summary forbiddenForNonOrganizer']);
    expect((await other.patch('closed', { attendees })).problems).toEqual(['FORBIDDEN event.attendees forbiddenForNonOrganizer']);
    await other.close();
  });

  test('a writer sees the details of a private event, a reader its time only', async () => {
    expect((await gateway.read('dinner', { as: wanda, calendarId: alice })).event.summary).toBe('Dinner');
    const { event: seen } = await gateway.read('dinner', { as: rita, calendarId: alice });
    expect(seen).toMatchObject({ summary: null, start: { dateTime: hour.start.dateTime } });
  });
});
