import type { Fields } from '../../../src/core/json.ts';
import { install } from '@sinonjs/fake-timers';
import { createLastingToken } from '../../notification/notification.harness.ts';
import { selectEveryField } from '../../selections.ts';
import { answerWith, model, refuseWith, startFront, type Interceptor } from './upstream.harness.ts';
import { useForAll } from '../../use-resource.ts';

const event = {
  kind: 'calendar#event',
  id: 'one',
  htmlLink: 'https://calendar.example/one',
  start: { date: '2026-12-01' },
};
const eventQueryWith = (selection: string): string =>
  `{ event(calendarId: "primary", eventId: "one") ${selection} }`;
const dayRange = 'timeMin: "2026-12-01T00:00:00Z", timeMax: "2026-12-02T00:00:00Z"';
const freeBusyQueryWith = (ids: string, selection: string): string =>
  `{ freeBusy(${dayRange}, calendarIds: [${ids}]) { ${selection} } }`;
/** Answers the pages of a list by their page tokens. */
const answerPages =
  (pagesByToken: Readonly<Record<string, object>>): Interceptor =>
  async ({ query }) =>
    pagesByToken[String(query?.pageToken ?? '')] as Fields;

const front = useForAll(() => startFront());
beforeEach(() => void front.takeCalls());

const runWithAnswer = async (body: unknown, document: string, as?: string) => {
  front.intercept(answerWith(body));
  return front.run(document, {}, as);
};
const takeFieldsParameters = (): unknown[] => front.takeCalls().map(({ query }) => query?.fields);
const toPlain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('calls of a calendar service', () => {
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
  ])('for an event with { %s } have fields=%s', async (selection, fields) => {
    // The first use of a document runs in the GraphQL library, later ones run compiled.
    for (const _engine of ['library', 'compiled'])
      await runWithAnswer(event, eventQueryWith(`{ ${selection} }`));
    expect(takeFieldsParameters()).toEqual([fields, fields]);
  });

  it('over REST read the times that decide whether a range includes an instance', async () => {
    const times = { start: { dateTime: '2026-12-07T10:00:00Z' }, end: { dateTime: '2026-12-07T11:00:00Z' } };
    front.intercept(async ({ apiMethod }) =>
      apiMethod === 'events.get'
        ? { ...event, ...times }
        : { timeZone: 'UTC', accessRole: 'owner', items: [] },
    );
    const url =
      '/calendar/v3/calendars/primary/events/one/instances?originalStart=2026-12-07T10:00:00Z&timeMin=2026-12-07T10:30:00Z&fields=items(id)';
    const headers = { authorization: `Bearer ${await createLastingToken('alice@example.com')}` };
    const response = await front.app.inject({ url, headers });
    expect(response.json()).toEqual({ items: [{ id: 'one' }] });
    expect(takeFieldsParameters()).toContain('id,end,etag,originalStartTime,start,status');
  });

  it('for an event with edges have the fields that edges need, and each call is made once', async () => {
    const single = { ...event, iCalUID: 'one@example.com' };
    const { status, data } = await runWithAnswer(
      { ...event, items: [single, { ...single, id: 'two' }], timeZone: 'UTC', accessRole: 'owner' },
      '{ events(calendarId: "primary") { nodes { summary calendar { timeZone } recurringEvent { summary } instances { nodes { id } } } } }',
    );
    expect([status, data.events.nodes.length]).toEqual([200, 2]);
    expect(front.takeCalls().map(({ path, query }) => [path.at(-1), query?.fields])).toEqual([
      ['events', 'nextPageToken,items(id,iCalUID,recurrence,recurringEventId,summary)'],
      ['alice@example.com', 'id,accessRole,primary,timeZone'],
    ]);
  });

  it('for an event include the fields of fragments', async () => {
    const fragments = 'fragment A on Event { end { date } ...B } fragment B on Event { ... { status } }';
    for (const _engine of ['library', 'compiled'])
      await runWithAnswer(event, `${eventQueryWith('{ id ...A }')} ${fragments}`);
    expect(takeFieldsParameters()).toEqual(['id,end,status', 'id,end,status']);
  });

  // Documents with few conditions are compiled, those with many are not.
  it.each([3, 7])('for an event with %i conditions have the selected fields each time', async (count) => {
    const fieldNames = ['colorId', 'description', 'etag', 'htmlLink', 'kind', 'location', 'summary'];
    const names = fieldNames.slice(0, count);
    const variables = names.map((name) => `$${name}: Boolean!`).join(' ');
    const conditions = names.map((name, index) =>
      index % 2 === 0 ? `${name} @include(if: $${name})` : `... @skip(if: $${name}) { ${name} }`,
    );
    const constant = 'status @skip(if: true) created @include(if: false)';
    const document = `query (${variables}) ${eventQueryWith(`{ id ${constant} ${conditions.join(' ')} }`)}`;
    front.intercept(answerWith(event));
    for (let conditionBits = 0; conditionBits < 2 ** names.length; conditionBits += 1) {
      const conditionValues = names.map((_name, index) => (conditionBits & (1 << index)) !== 0);
      const variableValues = Object.fromEntries(names.map((name, index) => [name, conditionValues[index]]));
      expect((await front.run(document, variableValues)).errors).toBeUndefined();
      const selectedNames = names.filter((_name, index) => conditionValues[index] === (index % 2 === 0));
      expect(takeFieldsParameters()).toEqual([['id', ...selectedNames].join()]);
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
  ])('for a list with { %s } have fields=%s', async (selection, fields) => {
    const lists = `{ events(calendarId: "primary") { ${selection} } instances(calendarId: "primary", eventId: "one") { ${selection} } }`;
    await runWithAnswer({ items: [event] }, lists);
    expect(takeFieldsParameters()).toEqual([fields, fields]);
  });

  it('for several lists of a request are concurrent', async () => {
    const pendingResponses: (() => void)[] = [];
    front.intercept(
      () =>
        new Promise((resolve) => {
          pendingResponses.push(() => resolve({ items: [event] }));
          if (pendingResponses.length === 2) for (const respond of pendingResponses) respond();
        }),
    );
    const lists =
      '{ a: events(calendarId: "a") { nodes { id } } b: events(calendarId: "b") { nodes { id } } }';
    expect((await front.ask(lists)).errors).toBeUndefined();
  });

  it('for calendars have the selected fields, and those for order and role', async () => {
    await runWithAnswer(
      { id: 'a', items: [] },
      '{ calendars { summary } calendar(calendarId: "a") { nodeId } }',
    );
    expect(takeFieldsParameters()).toEqual([
      'nextPageToken,items(id,accessRole,primary,summary)',
      'id,accessRole,primary',
    ]);
  });

  const listFields = 'nextPageToken,nextSyncToken,etag,summary,timeZone,accessRole,defaultReminders';
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
    ['?fields=items(id,summary),nextPageToken', `${listFields},items(id,etag,start,summary)`],
    ['?fields=*/id', `${listFields},items`],
    ['?fields=summary', `${listFields},items(id,etag,start)`],
    ['/one/instances?fields=items', `${listFields},items`],
    ['?fields=items,timeZone', `${listFields},items`],
  ])('over REST for primary/events%s have fields=%s', async (path, fields) => {
    front.intercept(answerWith({ ...event, items: [] }));
    const { statusCode } = await front.app.inject({
      url: `/calendar/v3/calendars/primary/events${path}`,
      headers: { authorization: `Bearer ${await createLastingToken('alice@example.com')}` },
    });
    expect([statusCode, takeFieldsParameters()]).toEqual([200, [fields]]);
  });

  it('for the same event are merged, with all selected fields', async () => {
    // Fields that start in one event loop slice share a call. A fake clock keeps the slice from ending on a
    // busy machine.
    const fakeClock = install({ toFake: ['performance'] });
    const { data } = await runWithAnswer(
      event,
      `{ a: event(calendarId: "primary", eventId: "one") { id kind start { date } } b: event(calendarId: "alice@example.com", eventId: "one") { htmlLink start { timeZone } }
      c: event(calendarId: "primary", eventId: "two") { id } d: event(calendarId: "primary", eventId: "one", maxAttendees: 3) { id } e: event(calendarId: "bob@example.com", eventId: "one") { id } }`,
    ).finally(() => fakeClock.uninstall());
    expect(front.takeCalls().map(({ path, query }) => [path[1], path[3], query?.fields])).toEqual([
      ['primary', 'one', 'id,htmlLink,kind,start'],
      ['primary', 'two', 'id'],
      ['primary', 'one', 'id'],
      ['bob@example.com', 'one', 'id'],
    ]);
    expect([data.a.id, data.b.htmlLink]).toEqual([event.id, event.htmlLink]);
  });

  it('have all arguments under their official names', async () => {
    const sentArgs = {
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
    const args = Object.entries(sentArgs).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    await runWithAnswer(
      { items: [] },
      `{ events(calendarId: "a b/c", first: 7, orderBy: startTime, ${args.join(', ')}) { nodes { id } } }`,
    );
    await runWithAnswer({ items: [] }, '{ events(calendarId: "a") { nodes { id } } }');
    const [fullCall, minimalCall] = front.takeCalls();
    expect(fullCall).toMatchObject({
      apiMethod: 'events.list',
      path: ['calendars', 'a b/c', 'events'],
    });
    const fields = 'nextPageToken,items(id)';
    expect(toPlain(fullCall?.query)).toEqual({ ...sentArgs, maxResults: 7, orderBy: 'startTime', fields });
    expect(toPlain(minimalCall?.query)).toEqual({ maxResults: 250, fields });
  });

  it('continue over short and empty pages of the service', async () => {
    const listEvents =
      'query ($after: String) { result: events(calendarId: "primary", first: 3, after: $after) { nodes { id } pageInfo { endCursor hasNextPage } nextSyncToken } }';
    front.intercept(
      answerPages({
        '': { items: [], nextPageToken: 'a' },
        a: { items: [{ id: '1' }], nextPageToken: 'b' },
        b: { items: [{ id: '2' }, { id: '3' }], nextPageToken: 'c' },
        c: { items: [{ id: '4' }], nextSyncToken: 's' },
      }),
    );
    const { event: page } = await front.run(listEvents, {});
    expect(page).toMatchObject({
      nodes: [{ id: '1' }, { id: '2' }, { id: '3' }],
      pageInfo: { hasNextPage: true },
      nextSyncToken: null,
    });
    const { event: lastPage } = await front.run(listEvents, { after: page.pageInfo.endCursor });
    expect(lastPage).toMatchObject({
      nodes: [{ id: '4' }],
      pageInfo: { hasNextPage: false },
      nextSyncToken: 's',
    });
    expect((await runWithAnswer({ nextPageToken: 'again' }, listEvents)).problems).toEqual([
      'UNAVAILABLE backendError',
    ]);
  });

  it('fail for an endless list of calendars', async () => {
    let count = 0;
    for (const nextPageToken of [() => 'again', () => `${(count += 1)}`]) {
      front.intercept(async () => ({
        items: [{ id: 'a' }],
        nextPageToken: nextPageToken(),
      }));
      expect((await front.run('{ calendars { id } }', {})).problems).toEqual(['UNAVAILABLE backendError']);
      expect(front.takeCalls().length).toBeLessThanOrEqual(40);
    }
  });
});

describe('responses of a calendar service', () => {
  const wholeEvent = eventQueryWith(selectEveryField('Event'));
  const invalidTimes = { date: '2026-02-31', dateTime: 5 };
  const strangeValues = [
    null,
    1,
    1.5,
    true,
    'text',
    [],
    {},
    [[]],
    [null, 1, 'x', {}],
    { a: 1, ...invalidTimes },
  ];
  it.each([...model.fields.keys(), 'unknown'])('may have strange values in %s', async (name) => {
    for (const value of strangeValues) {
      const { data, errors } = await runWithAnswer({ ...event, [name]: value, id: 'one' }, wholeEvent);
      expect([errors, data.event.id]).toEqual([undefined, 'one']);
    }
  });

  it('get defaults only for visible fields of an event', async () => {
    const readEventWith = async (body: object): Promise<unknown> =>
      (
        await runWithAnswer(
          { id: 'one', ...body },
          eventQueryWith(
            '{ status transparency locked sequence summary reminders { useDefault } attendees { email self additionalGuests } }',
          ),
        )
      ).data.event;
    expect(await readEventWith({ htmlLink: 'x', attendees: [{ email: 'a@b.example' }] })).toEqual({
      status: 'confirmed',
      transparency: 'opaque',
      locked: false,
      sequence: 0,
      summary: null,
      reminders: null,
      attendees: [{ email: 'a@b.example', self: false, additionalGuests: 0 }],
    });
    const unsetFields = { locked: null, sequence: null, attendees: null };
    expect(await readEventWith({ start: {} })).toMatchObject({
      status: 'confirmed',
      transparency: 'opaque',
      ...unsetFields,
    });
    expect(await readEventWith({ status: 'cancelled' })).toMatchObject({ transparency: null, locked: null });
  });

  it.each([undefined, null, [], 'x', {}, { items: 5 }, { items: [1, {}, { id: 5 }], calendars: 5 }])(
    'may be malformed: %j',
    async (body) => {
      const unavailable = ['UNAVAILABLE backendError'];
      expect((await runWithAnswer(body, eventQueryWith('{ id }'))).problems).toEqual(unavailable);
      expect((await runWithAnswer(body, '{ calendar(calendarId: "a") { id } }')).problems).toEqual(
        unavailable,
      );
      const lists = '{ events(calendarId: "a") { nodes { id } } calendars { id } }';
      expect((await runWithAnswer(body, lists)).data).toEqual({ events: { nodes: [] }, calendars: [] });
      expect(
        (await runWithAnswer(body, freeBusyQueryWith('"a"', 'busy { start end } error { code reason }'))).data
          .freeBusy,
      ).toEqual([{ busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } }]);
    },
  );

  it('may have malformed busy times', async () => {
    const hour = { start: '2026-12-01T00:00:00Z', end: '2026-12-01T01:00:00Z' };
    const calendars = {
      'alice@example.com': { busy: [hour, { start: 'x', end: 5 }, null] },
      b: { errors: [{ reason: 'groupTooBig' }] },
      c: { errors: [null] },
      d: { busy: 5, errors: [] },
      e: { errors: [{ reason: 'notFound' }] },
    };
    const { data } = await runWithAnswer(
      { calendars },
      freeBusyQueryWith('"primary", "b", "c", "d", "e"', 'calendarId busy { start } error { code reason }'),
    );
    expect(data.freeBusy).toEqual([
      { calendarId: 'primary', busy: [{ start: hour.start }], error: null },
      { calendarId: 'b', busy: [], error: { code: 'BAD_USER_INPUT', reason: 'tooMany' } },
      { calendarId: 'c', busy: [], error: { code: 'UNAVAILABLE', reason: 'backendError' } },
      { calendarId: 'd', busy: [], error: null },
      { calendarId: 'e', busy: [], error: { code: 'NOT_FOUND', reason: 'notFound' } },
    ]);
  });

  it('are sorted as calendars with roles', async () => {
    const defaultReminders = [
      { method: 'popup', minutes: 5 },
      { method: 'odd', minutes: 5 },
    ];
    front.intercept(
      answerPages({
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
    const defaults = { primary: false, backgroundColor: null, defaultReminders: [] };
    const withoutReminders = { ...defaults, defaultReminders: null };
    const colored = { ...defaults, backgroundColor: '#aabbcc', defaultReminders: [{ minutes: 5 }] };
    expect(data.calendars).toEqual([
      { ...defaults, id: 'e', summary: 'e', accessRole: 'owner', primary: true },
      { ...colored, id: 'b', summary: 'b', accessRole: 'owner' },
      { ...withoutReminders, id: 'a', summary: 'a', accessRole: 'reader' },
      { ...defaults, id: 'c', summary: 'C', accessRole: 'writer' },
      { ...withoutReminders, id: 'd', summary: 'd', accessRole: 'freeBusyReader' },
    ]);
  });

  it("identify the own calendar by the caller's address, if any", async () => {
    const readNodeIdOf = async (calendarId: string, as = 'alice@example.com'): Promise<unknown> =>
      (await runWithAnswer(event, `{ event(calendarId: "${calendarId}", eventId: "one") { nodeId } }`, as))
        .data.event.nodeId;
    const ownNodeId = await readNodeIdOf('primary');
    expect(await readNodeIdOf('ALICE@example.com')).toBe(ownNodeId);
    const subjects = [
      await readNodeIdOf('primary', 'a subject'),
      await readNodeIdOf('primary', 'another subject'),
    ];
    expect(new Set([ownNodeId, ...subjects]).size).toBe(3);
  });

  const getEvent = eventQueryWith('{ id }');
  const listEvents = '{ events(calendarId: "primary", updatedMin: "2020-01-01T00:00:00Z") { nodes { id } } }';
  const readBusy = freeBusyQueryWith('"a"', 'calendarId');
  const serviceMessage = 'What the service says.';
  const noScopeMessage = 'The token lacks the scope for this.';
  const expiredCursorMessage = 'The cursor in after has expired. Leave it out to start again.';
  const notAcceptedMessage = 'The calendar service does not accept this.';
  const messageWithAddress = 'Not for eve@elsewhere.example: no.';
  const badInput = (path: string, reason = 'invalid'): string => `BAD_USER_INPUT ${path} ${reason}`;
  type RefusalCase = [
    refusal: Parameters<typeof refuseWith>,
    problem: string,
    document: string,
    message?: string,
  ];
  it.each<RefusalCase>([
    [[404, 'notFound'], 'NOT_FOUND eventId notFound', getEvent, 'There is no such event on this calendar.'],
    [[404, 'notFound'], 'NOT_FOUND calendarId notFound', listEvents, 'There is no such calendar.'],
    [[410, 'deleted'], 'NOT_FOUND eventId notFound', getEvent],
    [
      [410, 'updatedMinTooLongAgo', serviceMessage, 'updatedMin'],
      badInput('updatedMin'),
      listEvents,
      serviceMessage,
    ],
    [[403, 'forbidden'], 'FORBIDDEN calendarId forbidden', listEvents],
    ...['insufficientPermissions', 'insufficientScope', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'].map(
      (reason): RefusalCase => [[403, reason], 'FORBIDDEN insufficientScope', getEvent, noScopeMessage],
    ),
    [[400, 'invalid', serviceMessage, 'maxResults'], badInput('first'), listEvents],
    [[400, 'invalid', serviceMessage, 'pageToken'], badInput('after'), listEvents, expiredCursorMessage],
    [[400, 'strange'], badInput('calendarId'), listEvents, notAcceptedMessage],
    [[400, 'invalid', messageWithAddress, 'q'], badInput('q'), listEvents, 'Not for … no.'],
    [[400, 'invalid', 'x'.repeat(201), 'q'], badInput('q'), listEvents, 'x'.repeat(200)],
    [[400, 'strange'], badInput('eventId'), getEvent],
    [[400, 'strange'], badInput(''), '{ calendars { id } }'],
    [[414], badInput('eventId', 'tooLong'), getEvent],
    [[431], badInput('calendarId', 'tooLong'), listEvents],
    [[400, 'timeRangeTooLong'], badInput('timeMax'), readBusy],
    [[400, 'tooMany', serviceMessage, 'items'], badInput('calendarIds', 'tooMany'), readBusy],
    [[418, 'teapot'], 'UNAVAILABLE backendError', getEvent],
  ])('that refuse are translated: %j to %s', async (refusal, problem, document, message = '') => {
    front.intercept(refuseWith(...refusal));
    const { problems, errors } = await front.run(document, {});
    expect(problems).toEqual([problem]);
    if (message !== '')
      expect(errors?.[0]?.extensions.issues[0]?.message ?? errors?.[0]?.message).toBe(message);
  });
});
