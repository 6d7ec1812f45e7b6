import type { FieldSelection, Selected } from '../../../src/core/fields/selection.ts';
import type { Call, Reply } from '../../../src/upstream/client/call.ts';
import { ServiceRefusal } from '../../../src/upstream/client/call.ts';
import { everyField } from '../../selections.ts';
import { inFrontOf, model, schema, type Front } from './upstream.harness.ts';

const event = {
  kind: 'calendar#event',
  id: 'one',
  htmlLink: 'https://calendar.example/one',
  start: { date: '2026-12-01' },
};
const answering = (body: unknown): Front => inFrontOf(() => ({ status: 200, body }));
const refusing = (status: number, reason = '', location?: string, words = 'What the service says.'): Front =>
  inFrontOf(() => Promise.reject(new ServiceRefusal(status, reason, words, location)));
const one = (selection: string, args = ''): string =>
  `{ event(calendarId: "primary", eventId: "one"${args}) { ${selection} } }`;
const fieldsOf = ([call]: Call[]): unknown => call?.query?.fields;

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
  ])('of an event with { %s } is %s', async (selection, fields) => {
    const front = answering(event);
    await front.ask(one(selection));
    expect(fieldsOf(front.calls())).toBe(fields);
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
    const front = answering({ items: [event] });
    await front.ask(
      `{ events(calendarId: "primary") { ${selection} } instances(calendarId: "primary", eventId: "one") { ${selection} } }`,
    );
    expect(front.calls().map(({ query }) => query?.fields)).toEqual([fields, fields]);
  });

  it('comes at once for several lists of a request', async () => {
    const asked: (() => void)[] = [];
    const front = inFrontOf(
      () =>
        new Promise((resolve) => {
          asked.push(() => resolve({ status: 200, body: { items: [event] } }));
          if (asked.length === 2) for (const answer of asked) answer();
        }),
    );
    const { errors } = await front.ask(
      '{ a: events(calendarId: "a") { nodes { id } } b: events(calendarId: "b") { nodes { id } } }',
    );
    expect(errors).toEqual([]);
  });

  it('of calendars is what is selected, their order and the role', async () => {
    const front = answering({ id: 'a', items: [] });
    await front.ask('{ calendars { summary } calendar(calendarId: "a") { nodeId } }');
    expect(front.calls().map(({ query }) => query?.fields)).toEqual([
      'nextPageToken,items(id,accessRole,primary,summary)',
      'id,accessRole,primary',
    ]);
  });

  it('is everything where nothing is said, or too much', async () => {
    const front = answering({ ...event, items: [] });
    const [viewer, request] = [await front.viewer('alice@example.com'), {}];
    const budget = undefined as never;
    await front.events.getEvent(viewer, { calendarId: 'primary', eventId: 'one' }, request);
    const list = await front.events.listEvents(viewer, { calendarId: 'primary' }, request, budget);
    expect(list.calendar).toMatchObject({
      id: 'alice@example.com',
      summary: 'alice@example.com',
      timeZone: 'UTC',
      accessRole: 'freeBusyReader',
    });
    const whole: FieldSelection = { whole: true, fields: new Map() };
    const some =
      (...names: string[]): Selected =>
      () => ({ whole: false, fields: new Map(names.map((name) => [name, whole])) });
    await front.events.listEvents(
      viewer,
      { calendarId: 'primary' },
      request,
      budget,
      some('nodes', 'calendar'),
    );
    await front.events.getEvent(viewer, { calendarId: 'primary', eventId: 'one' }, request, some('*'));
    expect(front.calls().map(({ query }) => query?.fields)).toEqual([
      undefined,
      undefined,
      'nextPageToken,etag,summary,timeZone,accessRole,defaultReminders,items',
      undefined,
    ]);
  });

  it('is one call for the same event, with all that is selected, and one for each other', async () => {
    const front = answering(event);
    const { data } = await front.ask(`{
      a: event(calendarId: "primary", eventId: "one") { id kind start { date } } b: event(calendarId: "alice@example.com", eventId: "one") { htmlLink start { timeZone } }
      c: event(calendarId: "primary", eventId: "two") { id } d: event(calendarId: "primary", eventId: "one", maxAttendees: 3) { id } e: event(calendarId: "bob@example.com", eventId: "one") { id }
    }`);
    expect(front.calls().map(({ path, query }) => [path[1], path[3], query?.fields])).toEqual([
      ['primary', 'one', 'id,htmlLink,kind,start'],
      ['primary', 'two', 'id'],
      ['primary', 'one', 'id'],
      ['bob@example.com', 'one', 'id'],
    ]);
    expect(data.a.id).toBe(data.b.htmlLink.slice(-3));
  });

  it('is what was given, under the official names', async () => {
    const front = answering({ items: [] });
    await front.ask(`{ events(
      calendarId: "a b/c", first: 7, timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z", singleEvents: true, orderBy: startTime, q: "x", iCalUID: "y", showDeleted: true,
      privateExtendedProperty: ["a=b", "c=d"], sharedExtendedProperty: ["e=f"], updatedMin: "2026-11-01T00:00:00Z", maxAttendees: 2, alwaysIncludeEmail: true) { nodes { id } } }`);
    await front.ask('{ events(calendarId: "a") { nodes { id } } }');
    const [full, bare] = front.calls();
    expect(full).toMatchObject({
      method: 'events.list',
      verb: 'GET',
      path: ['calendars', 'a b/c', 'events'],
      repeatable: true,
    });
    expect(JSON.parse(JSON.stringify(full?.query))).toEqual({
      maxResults: 7,
      timeMin: '2026-12-01T00:00:00Z',
      timeMax: '2026-12-02T00:00:00Z',
      singleEvents: true,
      orderBy: 'startTime',
      q: 'x',
      iCalUID: 'y',
      showDeleted: true,
      privateExtendedProperty: ['a=b', 'c=d'],
      sharedExtendedProperty: ['e=f'],
      updatedMin: '2026-11-01T00:00:00Z',
      maxAttendees: 2,
      alwaysIncludeEmail: true,
      fields: 'nextPageToken,items(id)',
    });
    expect(JSON.parse(JSON.stringify(bare?.query))).toEqual({
      maxResults: 250,
      fields: 'nextPageToken,items(id)',
    });
  });

  it('is put together where the service gives short and empty pages', async () => {
    const pages: Readonly<Record<string, object>> = {
      '': { items: [], nextPageToken: 'a' },
      a: { items: [{ id: '1' }], nextPageToken: 'b' },
      b: { items: [{ id: '2' }, { id: '3' }], nextPageToken: 'c' },
      c: { items: [{ id: '4' }], nextSyncToken: 's' },
    };
    const front = inFrontOf(({ query }) => ({ status: 200, body: pages[String(query?.pageToken ?? '')] }));
    const { data } = await front.ask(
      '{ events(calendarId: "primary", first: 3) { nodes { id } pageInfo { endCursor hasNextPage } nextSyncToken } }',
    );
    expect(data.events).toMatchObject({
      nodes: [{ id: '1' }, { id: '2' }, { id: '3' }],
      pageInfo: { hasNextPage: true },
      nextSyncToken: null,
    });
    const rest = await front.ask(
      'query ($after: String) { events(calendarId: "primary", first: 3, after: $after) { nodes { id } nextSyncToken } }',
      { after: data.events.pageInfo.endCursor },
    );
    expect(rest.data.events).toEqual({ nodes: [{ id: '4' }], nextSyncToken: 's' });
    const empty = inFrontOf(() => ({ status: 200, body: { nextPageToken: 'again' } }));
    expect((await empty.ask('{ events(calendarId: "primary") { nodes { id } } }')).errors).toMatchObject([
      { code: 'UNAVAILABLE' },
    ]);
  });

  it('is no list of calendars that ends before its end', async () => {
    let count = 0;
    for (const nextPageToken of [() => 'again', () => `${(count += 1)}`]) {
      const endless = inFrontOf(() => ({
        status: 200,
        body: { items: [{ id: 'a' }], nextPageToken: nextPageToken() },
      }));
      expect((await endless.ask('{ calendars { id } }')).errors).toMatchObject([{ code: 'UNAVAILABLE' }]);
      expect(endless.calls().length).toBeLessThanOrEqual(40);
    }
  });
});

describe('what a calendar service answers', () => {
  const whole = everyField('Event', schema);
  const strange = [
    null,
    1,
    1.5,
    true,
    'text',
    [],
    {},
    [[]],
    [null, 1, 'x', {}],
    { a: 1, date: '2026-02-31', dateTime: 5 },
  ];
  it.each([...model.fields.keys(), 'unknown'])('may be strange in %s', async (name) => {
    for (const value of strange) {
      const { data, errors } = await answering({ ...event, [name]: value, id: 'one' }).ask(
        `{ event(calendarId: "primary", eventId: "one") ${whole} }`,
      );
      expect(errors).toEqual([]);
      expect(data.event.id).toBe('one');
    }
  });

  it('has the defaults of what is shown of an event, no more', async () => {
    const selection =
      'status transparency locked sequence summary reminders { useDefault } attendees { email self additionalGuests }';
    const shown = async (body: object): Promise<unknown> =>
      (await answering({ id: 'one', ...body }).ask(one(selection))).data.event;
    expect(await shown({ htmlLink: 'x', attendees: [{ email: 'a@b.example' }] })).toEqual({
      status: 'confirmed',
      transparency: 'opaque',
      locked: false,
      sequence: 0,
      summary: null,
      reminders: null,
      attendees: [{ email: 'a@b.example', self: false, additionalGuests: 0 }],
    });
    expect(await shown({ start: {} })).toMatchObject({
      status: 'confirmed',
      transparency: 'opaque',
      locked: null,
      sequence: null,
      attendees: null,
    });
    expect(await shown({ status: 'cancelled' })).toMatchObject({
      status: 'cancelled',
      transparency: null,
      locked: null,
    });
  });

  it('may be no event, no list, no calendar and no times', async () => {
    for (const body of [
      undefined,
      null,
      [],
      'x',
      {},
      { items: 5 },
      { items: [1, {}, { id: 5 }], calendars: 5 },
    ]) {
      const front = answering(body);
      expect((await front.ask(one('id'))).errors).toMatchObject([{ code: 'UNAVAILABLE' }]);
      expect((await front.ask('{ calendar(calendarId: "a") { id } }')).errors).toMatchObject([
        { code: 'UNAVAILABLE' },
      ]);
      expect((await front.ask('{ events(calendarId: "a") { nodes { id } } calendars { id } }')).data).toEqual(
        { events: { nodes: [] }, calendars: [] },
      );
      const times = await front.ask(
        '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z", calendarIds: ["a"]) { busy { start end } error { code reason } } }',
      );
      expect(times.data.freeBusy).toEqual([
        { busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } },
      ]);
    }
  });

  it('tells busy times as it can', async () => {
    const front = answering({
      calendars: {
        'alice@example.com': {
          busy: [
            { start: '2026-12-01T00:00:00Z', end: '2026-12-01T01:00:00Z' },
            { start: 'x', end: 5 },
            null,
          ],
        },
        b: { errors: [{ reason: 'groupTooBig' }] },
        c: { errors: [null] },
        d: { busy: 5, errors: [] },
        e: { errors: [{ reason: 'notFound' }] },
      },
    });
    const { data } = await front.ask(
      '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z", calendarIds: ["primary", "b", "c", "d", "e"]) { calendarId busy { start } error { code reason } } }',
    );
    expect(data.freeBusy).toEqual([
      { calendarId: 'primary', busy: [{ start: '2026-12-01T00:00:00Z' }], error: null },
      { calendarId: 'b', busy: [], error: { code: 'BAD_USER_INPUT', reason: 'tooMany' } },
      { calendarId: 'c', busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } },
      { calendarId: 'd', busy: [], error: null },
      { calendarId: 'e', busy: [], error: { code: 'NOT_FOUND', reason: 'notFound' } },
    ]);
  });

  it('has calendars in order, with what the caller may do', async () => {
    const pages: Readonly<Record<string, object>> = {
      '': {
        items: [
          { id: 'a', accessRole: 'reader', defaultReminders: [] },
          {
            id: 'b',
            accessRole: 'owner',
            backgroundColor: '#AABBCC',
            defaultReminders: [
              { method: 'popup', minutes: 5 },
              { method: 'odd', minutes: 5 },
            ],
          },
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
    };
    const front = inFrontOf(({ query }) => ({ status: 200, body: pages[String(query?.pageToken ?? '')] }));
    const { data } = await front.ask(
      '{ calendars { id summary accessRole primary backgroundColor defaultReminders { minutes } } }',
    );
    expect(data.calendars).toEqual([
      {
        id: 'e',
        summary: 'e',
        accessRole: 'owner',
        primary: true,
        backgroundColor: null,
        defaultReminders: [],
      },
      {
        id: 'b',
        summary: 'b',
        accessRole: 'owner',
        primary: false,
        backgroundColor: '#aabbcc',
        defaultReminders: [{ minutes: 5 }],
      },
      {
        id: 'a',
        summary: 'a',
        accessRole: 'reader',
        primary: false,
        backgroundColor: null,
        defaultReminders: null,
      },
      {
        id: 'c',
        summary: 'C',
        accessRole: 'writer',
        primary: false,
        backgroundColor: null,
        defaultReminders: [],
      },
      {
        id: 'd',
        summary: 'd',
        accessRole: 'freeBusyReader',
        primary: false,
        backgroundColor: null,
        defaultReminders: null,
      },
    ]);
  });

  it("names the own calendar by the caller's address, where there is one", async () => {
    const nodeId = async (calendarId: string, as: string): Promise<unknown> =>
      (
        await answering(event).ask(
          `{ event(calendarId: "${calendarId}", eventId: "one") { nodeId } }`,
          {},
          as,
        )
      ).data.event.nodeId;
    expect(await nodeId('ALICE@example.com', 'alice@example.com')).toBe(
      await nodeId('primary', 'alice@example.com'),
    );
    expect(await nodeId('primary', 'a subject')).not.toBe(await nodeId('primary', 'another subject'));
    expect(await nodeId('primary', 'a subject')).not.toBe(await nodeId('primary', 'alice@example.com'));
  });

  const get = one('id');
  const list = '{ events(calendarId: "primary", updatedMin: "2020-01-01T00:00:00Z") { nodes { id } } }';
  const busy =
    '{ freeBusy(timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z", calendarIds: ["a"]) { calendarId } }';
  it.each<[string, Front, string, object]>([
    [
      '404 of an event',
      refusing(404, 'notFound'),
      get,
      {
        code: 'NOT_FOUND',
        issues: [{ path: ['eventId'], message: 'There is no such event on this calendar.' }],
      },
    ],
    [
      '404 of a list',
      refusing(404, 'notFound'),
      list,
      { code: 'NOT_FOUND', issues: [{ path: ['calendarId'], message: 'There is no such calendar.' }] },
    ],
    [
      '410 of an event',
      refusing(410, 'deleted'),
      get,
      { code: 'NOT_FOUND', issues: [{ path: ['eventId'] }] },
    ],
    [
      '410 of a list without a token',
      refusing(410, 'updatedMinTooLongAgo', 'updatedMin'),
      list,
      {
        code: 'BAD_USER_INPUT',
        issues: [{ path: ['updatedMin'], reason: 'invalid', message: 'What the service says.' }],
      },
    ],
    [
      '403',
      refusing(403, 'forbidden'),
      list,
      { code: 'FORBIDDEN', issues: [{ path: ['calendarId'], reason: 'forbidden' }] },
    ],
    ...['insufficientPermissions', 'insufficientScope', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'].map(
      (reason): [string, Front, string, object] => [
        `403 of scopes: ${reason}`,
        refusing(403, reason),
        get,
        { code: 'FORBIDDEN', issues: [], message: 'The token does not carry the scope that this needs.' },
      ],
    ),
    [
      '400 of a parameter',
      refusing(400, 'invalid', 'maxResults'),
      list,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['first'], reason: 'invalid' }] },
    ],
    [
      '400 of a cursor',
      refusing(400, 'invalid', 'pageToken'),
      list,
      {
        code: 'BAD_USER_INPUT',
        issues: [
          { path: ['after'], message: 'The cursor in after has expired. Leave it out to begin again.' },
        ],
      },
    ],
    [
      '400 of nothing named',
      refusing(400, 'strange', undefined, ''),
      list,
      {
        code: 'BAD_USER_INPUT',
        issues: [
          { path: ['calendarId'], reason: 'invalid', message: 'The calendar service does not take this.' },
        ],
      },
    ],
    [
      '400 with an address in it',
      refusing(400, 'invalid', 'q', 'Not for eve@elsewhere.example: no.'),
      list,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['q'], message: 'Not for … no.' }] },
    ],
    [
      '400 at length',
      refusing(400, 'invalid', 'q', 'x'.repeat(201)),
      list,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['q'], message: 'x'.repeat(200) }] },
    ],
    [
      '400 of an event',
      refusing(400, 'strange'),
      get,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['eventId'], reason: 'invalid' }] },
    ],
    [
      '400 of all calendars',
      refusing(400, 'strange'),
      '{ calendars { id } }',
      { code: 'BAD_USER_INPUT', issues: [{ path: [], reason: 'invalid' }] },
    ],
    [
      '414',
      refusing(414),
      get,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['eventId'], reason: 'tooLong' }] },
    ],
    [
      '431',
      refusing(431),
      list,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['calendarId'], reason: 'tooLong' }] },
    ],
    [
      '400 of a long range',
      refusing(400, 'timeRangeTooLong'),
      busy,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['timeMax'], reason: 'invalid' }] },
    ],
    [
      '400 of too many',
      refusing(400, 'tooMany', 'items'),
      busy,
      { code: 'BAD_USER_INPUT', issues: [{ path: ['calendarIds'], reason: 'tooMany' }] },
    ],
    ['another status', refusing(418, 'teapot'), get, { code: 'UNAVAILABLE' }],
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever it is
    ['something else', inFrontOf(() => Promise.reject<Reply>('text')), get, { code: 'UNEXPECTED' }],
  ])('is told in own words when it is %s', async (_name, front, document, expected) => {
    expect((await front.ask(document)).errors).toMatchObject([expected]);
  });
});

describe('what a calendar service does not have', () => {
  it('is not offered', async () => {
    const { errors } = await answering({}).ask(`mutation {
      a: insertCalendar(calendar: { summary: "x" }) { id } b: patchCalendar(calendarId: "a", calendar: {}) { id } c: deleteCalendar(calendarId: "a") d: setCalendarAccess(calendarId: "a", email: "b@c.example", role: reader) { email }
      e: patchFollowingEvents(calendarId: "a", eventId: "b_20261201", event: {}) { following { id } } f: deleteFollowingEvents(calendarId: "a", eventId: "b_20261201") { id }
    }`);
    const { errors: more } = await answering({}).ask('{ calendarAccess(calendarId: "a") { email } }');
    expect([...errors, ...more].map(({ code, message }) => [code, message.split(':')[0]])).toEqual(
      Array.from({ length: 7 }, () => ['FORBIDDEN', 'This is not offered here']),
    );
  });
});
