import { install } from '@sinonjs/fake-timers';
import { lastingToken } from '../../notification/notification.harness.ts';
import { everyField } from '../../selections.ts';
import { answer, model, refuse, startFront, type Between } from './upstream.harness.ts';
import { useForAll } from '../../started.ts';

const event = {
  kind: 'calendar#event',
  id: 'one',
  htmlLink: 'https://calendar.example/one',
  start: { date: '2026-12-01' },
};
const one = (selection: string): string => `{ event(calendarId: "primary", eventId: "one") ${selection} }`;
const week = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"';
const busyOf = (ids: string, selection: string): string =>
  `{ freeBusy(${week}, calendarIds: [${ids}]) { ${selection} } }`;
/** The pages of a list, by their tokens. */
const pages =
  (of: Readonly<Record<string, object>>): Between =>
  async ({ query }) => ({ status: 200, body: of[String(query?.pageToken ?? '')] });

const front = useForAll(() => startFront());
beforeEach(() => void front.made());

const askOf = async (body: unknown, document: string, as?: string) => {
  front.between(answer(body));
  return front.run(document, {}, as);
};
const fieldsMade = (): unknown[] => front.made().map(({ query }) => query?.fields);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what is asked of a calendar service', () => {
  it.each([
    ['id summary', 'id,summary'],
    ['nodeId', 'id'],
    ['callLink', 'id,hangoutLink'],
    ['__typename', 'id'],
    ['status sequence', 'id,sequence,status'],
    ['locked', 'id,htmlLink,locked'],
    ['visibility', 'id,start,visibility'],
    ['start { date } creator { self }', 'id,creator,start'],
    ['attendees { self }', 'id,attendees(email,self)'],
    ['attendees { __typename } conferenceData { __typename }', 'id,attendees(email),conferenceData'],
    ['extendedProperties { private }', 'id,extendedProperties(private)'],
    [
      'gadget { type } conferenceData { conferenceId entryPoints { label } }',
      'id,conferenceData(conferenceId,entryPoints(entryPointType,uri,label)),gadget(type)',
    ],
    ['reminders { overrides { minutes } }', 'id,reminders(overrides(method,minutes))'],
    ['title: summary start { date } ... on Event { start { timeZone } }', 'id,start,summary'],
  ])('of an event with { %s } is %s', async (selection, fields) => {
    // The second time the document is compiled.
    for (const _engine of ['library', 'compiled']) await askOf(event, one(`{ ${selection} }`));
    expect(fieldsMade()).toEqual([fields, fields]);
  });

  it('of an event with edges is what these read of it, and then each call once', async () => {
    const single = { ...event, iCalUID: 'one@example.com' };
    const { status, data } = await askOf(
      { ...event, items: [single, { ...single, id: 'two' }], timeZone: 'UTC', accessRole: 'owner' },
      '{ events(calendarId: "primary") { nodes { summary calendar { timeZone } recurringEvent { summary } instances { nodes { id } } } } }',
    );
    expect([status, data.events.nodes.length]).toEqual([200, 2]);
    expect(front.made().map(({ path, query }) => [path.at(-1), query?.fields])).toEqual([
      ['events', 'nextPageToken,items(id,iCalUID,recurrence,recurringEventId,summary)'],
      ['alice@example.com', 'id,accessRole,primary,timeZone'],
    ]);
  });

  it('of an event is what its fragments name', async () => {
    const fragments = 'fragment A on Event { end { date } ...B } fragment B on Event { ... { status } }';
    for (const _engine of ['library', 'compiled']) await askOf(event, `${one('{ id ...A }')} ${fragments}`);
    expect(fieldsMade()).toEqual(['id,end,status', 'id,end,status']);
  });

  // Documents of few conditions are compiled, those of many are not.
  it.each([3, 7])('of an event is what %i conditions leave, whatever they were before', async (count) => {
    const all = ['colorId', 'description', 'etag', 'htmlLink', 'kind', 'location', 'summary'];
    const names = all.slice(0, count);
    const variables = names.map((name) => `$${name}: Boolean!`).join(' ');
    const conditions = names.map((name, index) =>
      index % 2 === 0 ? `${name} @include(if: $${name})` : `... @skip(if: $${name}) { ${name} }`,
    );
    const constant = 'status @skip(if: true) created @include(if: false)';
    const document = `query (${variables}) ${one(`{ id ${constant} ${conditions.join(' ')} }`)}`;
    front.between(answer(event));
    for (let bits = 0; bits < 2 ** names.length; bits += 1) {
      const isSet = names.map((_name, index) => (bits & (1 << index)) !== 0);
      const set = Object.fromEntries(names.map((name, index) => [name, isSet[index]]));
      expect((await front.run(document, set)).errors).toBeUndefined();
      const selected = names.filter((_name, index) => isSet[index] === (index % 2 === 0));
      expect(fieldsMade()).toEqual([['id', ...selected].join()]);
    }
  });

  it.each([
    ['nodes { id }', 'nextPageToken,items(id)'],
    ['pageInfo { hasNextPage }', 'nextPageToken,items(id)'],
    ['edges { cursor }', 'nextPageToken,items(id)'],
    [
      'edges { node { summary } } nodes { location } nextSyncToken',
      'nextPageToken,nextSyncToken,items(id,location,summary)',
    ],
  ])('of a list with { %s } is %s', async (selection, fields) => {
    const lists = `{ events(calendarId: "primary") { ${selection} } instances(calendarId: "primary", eventId: "one") { ${selection} } }`;
    await askOf({ items: [event] }, lists);
    expect(fieldsMade()).toEqual([fields, fields]);
  });

  it('comes at once for several lists of a request', async () => {
    const waiting: (() => void)[] = [];
    front.between(
      () =>
        new Promise((resolve) => {
          waiting.push(() => resolve({ status: 200, body: { items: [event] } }));
          if (waiting.length === 2) for (const goOn of waiting) goOn();
        }),
    );
    const lists =
      '{ a: events(calendarId: "a") { nodes { id } } b: events(calendarId: "b") { nodes { id } } }';
    expect((await front.ask(lists)).errors).toBeUndefined();
  });

  it('of calendars is what is selected, their order and the role', async () => {
    await askOf({ id: 'a', items: [] }, '{ calendars { summary } calendar(calendarId: "a") { nodeId } }');
    expect(fieldsMade()).toEqual([
      'nextPageToken,items(id,accessRole,primary,summary)',
      'id,accessRole,primary',
    ]);
  });

  const ofList = 'nextPageToken,nextSyncToken,etag,summary,timeZone,accessRole,defaultReminders';
  it.each([
    ['/one', undefined],
    ['/one?fields=*', undefined],
    ['', undefined],
    ['/one?fields=id,hangoutLink,start/date,nothing', 'id,etag,hangoutLink,start'],
    ['/one?fields=attendees(email,self)', 'id,attendees(email,self),etag,start'],
    [
      '/one?fields=conferenceData/entryPoints/uri',
      'id,conferenceData(entryPoints(entryPointType,uri)),etag,start',
    ],
    ['/one?fields=creator/*', 'id,creator,etag,start'],
    ['/one?fields=extendedProperties/private/a', 'id,etag,extendedProperties(private),start'],
    ['?fields=items(id,summary),nextPageToken', `${ofList},items(id,etag,start,summary)`],
    ['?fields=*/id', `${ofList},items`],
    ['?fields=summary', `${ofList},items(id,etag,start)`],
    ['/one/instances?fields=items', `${ofList},items`],
    ['?fields=items,timeZone', `${ofList},items`],
  ])('over REST, of primary/events%s, is %s', async (path, fields) => {
    front.between(answer({ ...event, items: [] }));
    const { statusCode } = await front.app.inject({
      url: `/calendar/v3/calendars/primary/events${path}`,
      headers: { authorization: `Bearer ${await lastingToken('alice@example.com')}` },
    });
    expect([statusCode, fieldsMade()]).toEqual([200, [fields]]);
  });

  it('is one call for the same event, with all that is selected, and one for each other', async () => {
    // Fields that begin in one iteration of the event loop share a call. On a busy machine its time would be over between them.
    const time = install({ toFake: ['performance'] });
    const { data } = await askOf(
      event,
      `{ a: event(calendarId: "primary", eventId: "one") { id kind start { date } } b: event(calendarId: "alice@example.com", eventId: "one") { htmlLink start { timeZone } }
      c: event(calendarId: "primary", eventId: "two") { id } d: event(calendarId: "primary", eventId: "one", maxAttendees: 3) { id } e: event(calendarId: "bob@example.com", eventId: "one") { id } }`,
    ).finally(() => time.uninstall());
    expect(front.made().map(({ path, query }) => [path[1], path[3], query?.fields])).toEqual([
      ['primary', 'one', 'id,htmlLink,kind,start'],
      ['primary', 'two', 'id'],
      ['primary', 'one', 'id'],
      ['bob@example.com', 'one', 'id'],
    ]);
    expect([data.a.id, data.b.htmlLink]).toEqual([event.id, event.htmlLink]);
  });

  it('is what was given, under the official names', async () => {
    const given = {
      timeMin: '2026-12-01T00:00:00Z',
      timeMax: '2026-12-02T00:00:00Z',
      singleEvents: true,
      q: 'x',
      iCalUID: 'y',
      showDeleted: true,
      privateExtendedProperty: ['a=b', 'c=d'],
      sharedExtendedProperty: ['e=f'],
      updatedMin: '2026-11-01T00:00:00Z',
      maxAttendees: 2,
      alwaysIncludeEmail: true,
    };
    const args = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    await askOf(
      { items: [] },
      `{ events(calendarId: "a b/c", first: 7, orderBy: startTime, ${args.join(', ')}) { nodes { id } } }`,
    );
    await askOf({ items: [] }, '{ events(calendarId: "a") { nodes { id } } }');
    const [full, bare] = front.made();
    expect(full).toMatchObject({
      method: 'events.list',
      verb: 'GET',
      path: ['calendars', 'a b/c', 'events'],
      repeatable: true,
    });
    const fields = 'nextPageToken,items(id)';
    expect(plain(full?.query)).toEqual({ ...given, maxResults: 7, orderBy: 'startTime', fields });
    expect(plain(bare?.query)).toEqual({ maxResults: 250, fields });
  });

  it('is put together where the service gives short and empty pages', async () => {
    const list =
      'query ($after: String) { result: events(calendarId: "primary", first: 3, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } nextSyncToken } }';
    front.between(
      pages({
        '': { items: [], nextPageToken: 'a' },
        a: { items: [{ id: '1' }], nextPageToken: 'b' },
        b: { items: [{ id: '2' }, { id: '3' }], nextPageToken: 'c' },
        c: { items: [{ id: '4' }], nextSyncToken: 's' },
      }),
    );
    const { event: page } = await front.run(list, {});
    expect(page).toMatchObject({
      nodes: [{ id: '1' }, { id: '2' }, { id: '3' }],
      pageInfo: { hasNextPage: true },
      nextSyncToken: null,
    });
    const { event: rest } = await front.run(list, { after: page.pageInfo.endCursor });
    expect(rest).toMatchObject({
      nodes: [{ id: '4' }],
      pageInfo: { hasNextPage: false },
      nextSyncToken: 's',
    });
    expect((await askOf({ nextPageToken: 'again' }, list)).problems).toEqual(['UNAVAILABLE backendError']);
  });

  it('is no list of calendars that ends before its end', async () => {
    let count = 0;
    for (const nextPageToken of [() => 'again', () => `${(count += 1)}`]) {
      front.between(async () => ({
        status: 200,
        body: { items: [{ id: 'a' }], nextPageToken: nextPageToken() },
      }));
      expect((await front.run('{ calendars { id } }', {})).problems).toEqual(['UNAVAILABLE backendError']);
      expect(front.made().length).toBeLessThanOrEqual(40);
    }
  });
});

describe('what a calendar service answers', () => {
  const whole = one(everyField('Event'));
  const times = { date: '2026-02-31', dateTime: 5 };
  const strange = [null, 1, 1.5, true, 'text', [], {}, [[]], [null, 1, 'x', {}], { a: 1, ...times }];
  it.each([...model.fields.keys(), 'unknown'])('may be strange in %s', async (name) => {
    for (const value of strange) {
      const { data, errors } = await askOf({ ...event, [name]: value, id: 'one' }, whole);
      expect([errors, data.event.id]).toEqual([undefined, 'one']);
    }
  });

  it('has the defaults of what is shown of an event, no more', async () => {
    const shown = async (body: object): Promise<unknown> =>
      (
        await askOf(
          { id: 'one', ...body },
          one(
            '{ status transparency locked sequence summary reminders { useDefault } attendees { email self additionalGuests } }',
          ),
        )
      ).data.event;
    expect(await shown({ htmlLink: 'x', attendees: [{ email: 'a@b.example' }] })).toEqual({
      status: 'confirmed',
      transparency: 'opaque',
      locked: false,
      sequence: 0,
      summary: null,
      reminders: null,
      attendees: [{ email: 'a@b.example', self: false, additionalGuests: 0 }],
    });
    const unset = { locked: null, sequence: null, attendees: null };
    expect(await shown({ start: {} })).toMatchObject({
      status: 'confirmed',
      transparency: 'opaque',
      ...unset,
    });
    expect(await shown({ status: 'cancelled' })).toMatchObject({ transparency: null, locked: null });
  });

  it.each([undefined, null, [], 'x', {}, { items: 5 }, { items: [1, {}, { id: 5 }], calendars: 5 }])(
    'may be no event, no list, no calendar and no times: %j',
    async (body) => {
      const unavailable = ['UNAVAILABLE backendError'];
      expect((await askOf(body, one('{ id }'))).problems).toEqual(unavailable);
      expect((await askOf(body, '{ calendar(calendarId: "a") { id } }')).problems).toEqual(unavailable);
      const lists = '{ events(calendarId: "a") { nodes { id } } calendars { id } }';
      expect((await askOf(body, lists)).data).toEqual({ events: { nodes: [] }, calendars: [] });
      expect(
        (await askOf(body, busyOf('"a"', 'busy { start end } error { code reason }'))).data.freeBusy,
      ).toEqual([{ busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } }]);
    },
  );

  it('tells busy times as it can', async () => {
    const hour = { start: '2026-12-01T00:00:00Z', end: '2026-12-01T01:00:00Z' };
    const calendars = {
      'alice@example.com': { busy: [hour, { start: 'x', end: 5 }, null] },
      b: { errors: [{ reason: 'groupTooBig' }] },
      c: { errors: [null] },
      d: { busy: 5, errors: [] },
      e: { errors: [{ reason: 'notFound' }] },
    };
    const { data } = await askOf(
      { calendars },
      busyOf('"primary", "b", "c", "d", "e"', 'calendarId busy { start } error { code reason }'),
    );
    expect(data.freeBusy).toEqual([
      { calendarId: 'primary', busy: [{ start: hour.start }], error: null },
      { calendarId: 'b', busy: [], error: { code: 'BAD_USER_INPUT', reason: 'tooMany' } },
      { calendarId: 'c', busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } },
      { calendarId: 'd', busy: [], error: null },
      { calendarId: 'e', busy: [], error: { code: 'NOT_FOUND', reason: 'notFound' } },
    ]);
  });

  it('has calendars in order, with what the caller may do', async () => {
    const defaultReminders = [
      { method: 'popup', minutes: 5 },
      { method: 'odd', minutes: 5 },
    ];
    front.between(
      pages({
        '': {
          items: [
            { id: 'a', accessRole: 'reader', defaultReminders: [] },
            { id: 'b', accessRole: 'owner', backgroundColor: '#AABBCC', defaultReminders },
          ],
          nextPageToken: 'x',
        },
        x: {
          items: [
            { id: 'c', accessRole: 'writerWithoutPrivateAccess', summary: 'C' },
            { id: 'd', accessRole: 'strange' },
            { id: 'e', accessRole: 'owner', primary: true },
          ],
          nextPageToken: '',
        },
      }),
    );
    const { data } = await front.ask(
      '{ calendars { id summary accessRole primary backgroundColor defaultReminders { minutes } } }',
    );
    const usual = { primary: false, backgroundColor: null, defaultReminders: [] };
    const hidden = { ...usual, defaultReminders: null };
    const colored = { ...usual, backgroundColor: '#aabbcc', defaultReminders: [{ minutes: 5 }] };
    expect(data.calendars).toEqual([
      { ...usual, id: 'e', summary: 'e', accessRole: 'owner', primary: true },
      { ...colored, id: 'b', summary: 'b', accessRole: 'owner' },
      { ...hidden, id: 'a', summary: 'a', accessRole: 'reader' },
      { ...usual, id: 'c', summary: 'C', accessRole: 'writer' },
      { ...hidden, id: 'd', summary: 'd', accessRole: 'freeBusyReader' },
    ]);
  });

  it("names the own calendar by the caller's address, where there is one", async () => {
    const nodeId = async (calendarId: string, as = 'alice@example.com'): Promise<unknown> =>
      (await askOf(event, `{ event(calendarId: "${calendarId}", eventId: "one") { nodeId } }`, as)).data.event
        .nodeId;
    const own = await nodeId('primary');
    expect(await nodeId('ALICE@example.com')).toBe(own);
    const subjects = [await nodeId('primary', 'a subject'), await nodeId('primary', 'another subject')];
    expect(new Set([own, ...subjects]).size).toBe(3);
  });

  const get = one('{ id }');
  const list = '{ events(calendarId: "primary", updatedMin: "2020-01-01T00:00:00Z") { nodes { id } } }';
  const busy = busyOf('"a"', 'calendarId');
  const [said, noScope] = ['What the service says.', 'The token does not carry the scope that this needs.'];
  const expired = 'The cursor in after has expired. Leave it out to begin again.';
  type Told = [
    name: string,
    refusal: Parameters<typeof refuse>,
    document: string,
    problem: string,
    message?: string,
  ];
  it.each<Told>([
    [
      '404 of an event',
      [404, 'notFound'],
      get,
      'NOT_FOUND eventId notFound',
      'There is no such event on this calendar.',
    ],
    ['404 of a list', [404, 'notFound'], list, 'NOT_FOUND calendarId notFound', 'There is no such calendar.'],
    ['410 of an event', [410, 'deleted'], get, 'NOT_FOUND eventId notFound'],
    [
      '410 of a list without a token',
      [410, 'updatedMinTooLongAgo', said, 'updatedMin'],
      list,
      'BAD_USER_INPUT updatedMin invalid',
      said,
    ],
    ['403', [403, 'forbidden'], list, 'FORBIDDEN calendarId forbidden'],
    ...['insufficientPermissions', 'insufficientScope', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'].map(
      (reason): Told => [`403 ${reason}`, [403, reason], get, 'FORBIDDEN insufficientScope', noScope],
    ),
    ['400 of a parameter', [400, 'invalid', said, 'maxResults'], list, 'BAD_USER_INPUT first invalid'],
    ['400 of a cursor', [400, 'invalid', said, 'pageToken'], list, 'BAD_USER_INPUT after invalid', expired],
    [
      '400 of nothing named',
      [400, 'strange'],
      list,
      'BAD_USER_INPUT calendarId invalid',
      'The calendar service does not take this.',
    ],
    [
      '400 with an address in it',
      [400, 'invalid', 'Not for eve@elsewhere.example: no.', 'q'],
      list,
      'BAD_USER_INPUT q invalid',
      'Not for … no.',
    ],
    ['400 long', [400, 'invalid', 'x'.repeat(201), 'q'], list, 'BAD_USER_INPUT q invalid', 'x'.repeat(200)],
    ['400 of an event', [400, 'strange'], get, 'BAD_USER_INPUT eventId invalid'],
    ['400 of all calendars', [400, 'strange'], '{ calendars { id } }', 'BAD_USER_INPUT  invalid'],
    ['414', [414], get, 'BAD_USER_INPUT eventId tooLong'],
    ['431', [431], list, 'BAD_USER_INPUT calendarId tooLong'],
    ['400 of a long range', [400, 'timeRangeTooLong'], busy, 'BAD_USER_INPUT timeMax invalid'],
    ['400 of too many', [400, 'tooMany', said, 'items'], busy, 'BAD_USER_INPUT calendarIds tooMany'],
    ['another status', [418, 'teapot'], get, 'UNAVAILABLE backendError'],
  ])('is told in own words when it is %s', async (_name, refusal, document, problem, message = '') => {
    front.between(refuse(...refusal));
    const { problems, errors } = await front.run(document, {});
    expect(problems).toEqual([problem]);
    if (message !== '')
      expect(errors?.[0]?.extensions.issues[0]?.message ?? errors?.[0]?.message).toBe(message);
  });
});
