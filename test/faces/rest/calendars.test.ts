import { startRest, type RestGateway } from './rest.harness.ts';

const own = '/calendar/v3/calendars/primary';
const all = '/calendar/v3/users/me/calendarList';

describe('calendars over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  test('are listed as the caller sees them', async () => {
    const { kind, etag, items } = (await gateway.send(`GET ${all}`)).json;
    expect([kind, typeof etag]).toEqual(['calendar#calendarList', 'string']);
    expect(items[0]).toEqual({
      kind: 'calendar#calendarListEntry',
      etag: expect.any(String),
      id: 'alice@example.com',
      summary: 'alice@example.com',
      timeZone: 'Europe/Berlin',
      accessRole: 'owner',
      defaultReminders: [{ method: 'popup', minutes: 10 }],
      selected: true,
      primary: true,
    });
    expect(items.slice(1).some((entry: object) => 'primary' in entry)).toBe(false);
    expect((await gateway.send(`GET ${all}/primary`)).json).toEqual(items[0]);
    expect(
      (await gateway.send(`GET ${all}?minAccessRole=owner`)).json.items.every(
        ({ accessRole }: { accessRole: string }) => accessRole === 'owner',
      ),
    ).toBe(true);
    const first = (await gateway.send(`GET ${all}?maxResults=1&minAccessRole=freeBusyReader`)).json;
    const second = (await gateway.send(`GET ${all}?maxResults=250&pageToken=${first.nextPageToken}`)).json;
    expect([...first.items, ...second.items]).toEqual(items);
  });

  test('are made, read, changed, replaced and deleted', async () => {
    const made = await gateway.send('POST /calendar/v3/calendars', {
      summary: 'Team',
      description: 'd',
      backgroundColor: '#ffffff',
    });
    expect([made.status, made.json, made.warnings]).toEqual([
      200,
      {
        kind: 'calendar#calendar',
        etag: expect.any(String),
        id: expect.any(String),
        summary: 'Team',
        description: 'd',
        timeZone: 'UTC',
      },
      [expect.objectContaining({ path: ['backgroundColor'], reason: 'unknownField' })],
    ]);
    const one = `/calendar/v3/calendars/${made.json.id}`;
    expect((await gateway.send(`GET ${one}`)).json).toEqual(made.json);
    const patched = await gateway.send(
      `PATCH ${one}`,
      { location: 'here', timeZone: 'Asia/Tokyo' },
      { headers: { 'if-match': made.json.etag } },
    );
    expect(patched.json).toMatchObject({ summary: 'Team', location: 'here', timeZone: 'Asia/Tokyo' });
    expect((await gateway.send(`PUT ${one}`, patched.json)).json).toEqual(patched.json);
    const put = (await gateway.send(`PUT ${one}`, { summary: 'Squad' })).json;
    expect([put.summary, put.description, put.location, put.timeZone]).toEqual([
      'Squad',
      undefined,
      undefined,
      'Asia/Tokyo',
    ]);
    expect(
      (await gateway.send(`DELETE ${one}`, undefined, { headers: { 'if-match': made.json.etag } })).status,
    ).toBe(412);
    expect([
      (await gateway.send(`DELETE ${one}`)).status,
      (await gateway.send(`DELETE ${one}`)).status,
    ]).toEqual([204, 404]);
    expect(await gateway.send(`DELETE ${own}`)).toMatchObject({
      status: 403,
      reasons: ['forbidden calendarId'],
    });
  });

  test('are shared by rules', async () => {
    const rule = (email: string, role: string) => ({
      kind: 'calendar#aclRule',
      etag: expect.any(String),
      id: `user:${email}`,
      scope: { type: 'user', value: email },
      role,
    });
    const at = (email: string) => `${own}/acl/${encodeURIComponent(`user:${email}`)}`;
    expect((await gateway.send(`GET ${own}/acl`)).json).toEqual({
      kind: 'calendar#acl',
      etag: expect.any(String),
      items: [rule('alice@example.com', 'owner'), rule('bob@example.com', 'reader')],
    });
    expect(
      (
        await gateway.send(`POST ${own}/acl`, {
          scope: { type: 'user', value: 'eve@example.com' },
          role: 'reader',
        })
      ).json,
    ).toEqual(rule('eve@example.com', 'reader'));
    expect((await gateway.send(`PATCH ${at('EVE@example.com')}`, { role: 'writer' })).json).toEqual(
      rule('eve@example.com', 'writer'),
    );
    expect((await gateway.send(`PATCH ${at('eve@example.com')}`, {})).json.role).toBe('writer');
    expect(
      (
        await gateway.send(
          `PUT ${at('eve@example.com')}`,
          (await gateway.send(`GET ${at('eve@example.com')}`)).json,
        )
      ).json,
    ).toEqual(rule('eve@example.com', 'writer'));
    const first = (await gateway.send(`GET ${own}/acl?maxResults=2`)).json;
    expect((await gateway.send(`GET ${own}/acl?pageToken=${first.nextPageToken}`)).json.items).toEqual([
      rule('eve@example.com', 'writer'),
    ]);
    expect((await gateway.send(`DELETE ${at('eve@example.com')}`)).status).toBe(204);
    for (const request of [
      `GET ${at('eve@example.com')}`,
      `PATCH ${at('eve@example.com')}`,
      `GET ${own}/acl/eve@example.com`,
      `DELETE ${own}/acl/eve@example.com`,
    ]) {
      expect(
        await gateway.send(request, request.startsWith('PATCH') ? { role: 'reader' } : undefined),
      ).toMatchObject({ status: 404, reasons: ['notFound ruleId'] });
    }
  });

  test('are shared on conditions, and what is read-only is told to be', async () => {
    const at = `${own}/acl/user:bob@example.com`;
    const { json } = await gateway.send(`GET ${at}`);
    for (const [request, body] of [
      [`PATCH ${at}`, { role: 'writer' }],
      [`PATCH ${at}`, {}],
      [`PUT ${at}`, { role: 'writer' }],
      [`DELETE ${at}`, undefined],
    ] as const) {
      expect(await gateway.send(request, body, { headers: { 'if-match': '"old"' } })).toMatchObject({
        status: 412,
        reasons: ['conditionNotMet If-Match'],
        headers: { etag: json.etag },
      });
    }
    expect(
      await gateway.send(
        `PUT ${at}`,
        { ...json, id: 'user:x', kind: 'x' },
        { headers: { 'if-match': json.etag } },
      ),
    ).toMatchObject({
      status: 200,
      warnings: [
        { path: ['kind'], reason: 'readOnly' },
        { path: ['id'], reason: 'readOnly' },
      ],
    });
    const changed = await gateway.send(`PATCH ${at}`, { ...json, role: 'writer' });
    expect([changed.json.role, changed.warnings]).toEqual(['writer', undefined]);
    await gateway.send(`PUT ${at}`, { role: 'reader' });
    expect(await gateway.send(`PATCH ${at}`, { role: null })).toMatchObject({
      status: 400,
      reasons: ['required role'],
    });
    expect(
      await gateway.send(`DELETE ${own}/acl/user:zoe@example.com`, undefined, {
        headers: { 'if-match': '"old"' },
      }),
    ).toMatchObject({ status: 412 });
    expect(
      await gateway.send(
        `DELETE /calendar/v3/calendars/alice@example.com/acl/user:carol@example.com`,
        undefined,
        { as: 'bob@example.com', headers: { 'if-match': '"old"' } },
      ),
    ).toMatchObject({ status: 403 });
  });

  test('are read anew by whoever has another role now', async () => {
    const { id, etag } = (await gateway.send('POST /calendar/v3/calendars', { summary: 'Roles' })).json;
    const give = (role: string) =>
      gateway.send(`PUT /calendar/v3/calendars/${id}/acl/user:bob@example.com`, { role });
    await gateway.send(`POST /calendar/v3/calendars/${id}/acl`, {
      scope: { type: 'user', value: 'bob@example.com' },
      role: 'reader',
    });
    const list = async () =>
      (await gateway.send(`GET ${all}`, undefined, { as: 'bob@example.com' })).json.etag as string;
    const before = await list();
    await give('writer');
    expect(await list()).not.toBe(before);
    expect(
      await gateway.send(`GET ${all}/${id}`, undefined, {
        as: 'bob@example.com',
        headers: { 'if-none-match': etag },
      }),
    ).toMatchObject({ status: 200, json: { etag, accessRole: 'writer' } });
    expect(
      (
        await gateway.send(`GET /calendar/v3/calendars/${id}`, undefined, {
          headers: { 'if-none-match': etag },
        })
      ).status,
    ).toBe(304);
  });

  test('are left by whoever wants, and their rules are taken away by the role none', async () => {
    const { id } = (await gateway.send('POST /calendar/v3/calendars', { summary: 'Guests' })).json;
    const acl = `/calendar/v3/calendars/${id}/acl`;
    const give = (email: string, role: string) =>
      gateway.send(`POST ${acl}`, { scope: { type: 'user', value: email }, role });
    for (const email of ['bob@example.com', 'eve@example.com', 'zoe@example.com'])
      await give(email, 'writer');
    expect(
      (await gateway.send(`DELETE ${acl}/user:bob@example.com`, undefined, { as: 'bob@example.com' })).status,
    ).toBe(204);
    expect((await give('eve@example.com', 'none')).json).toMatchObject({
      id: 'user:eve@example.com',
      role: 'none',
    });
    expect((await gateway.send(`PATCH ${acl}/user:zoe@example.com`, { role: 'none' })).json.role).toBe(
      'none',
    );
    expect((await gateway.send(`GET ${acl}`)).json.items.map(({ id: rule }: { id: string }) => rule)).toEqual(
      ['user:alice@example.com'],
    );
    expect(
      (await gateway.send(`GET /calendar/v3/calendars/${id}`, undefined, { as: 'bob@example.com' })).status,
    ).toBe(404);
  });

  test('say where a rule is wrong', async () => {
    const insert = (body: object) => gateway.send(`POST ${own}/acl`, body);
    expect(await insert({ scope: { type: 'domain', value: 'x.example' }, role: 'reader' })).toMatchObject({
      status: 400,
      reasons: ['invalid scope.type'],
    });
    expect(await insert({})).toMatchObject({
      status: 400,
      reasons: ['required scope.type', 'required scope.value', 'required role'],
    });
    expect(await insert({ scope: { type: 'user', value: 'nobody' }, role: 'reader' })).toMatchObject({
      status: 400,
      reasons: ['invalid scope.value'],
    });
    expect(await insert({ scope: { type: 'user', value: 'eve@example.com' }, role: 'king' })).toMatchObject({
      status: 400,
      reasons: ['invalid role'],
    });
    expect(await gateway.send(`DELETE ${own}/acl/user:nobody`)).toMatchObject({
      status: 400,
      reasons: ['invalid ruleId'],
    });
    expect(await gateway.send(`PUT ${own}/acl/user:bob@example.com`, {})).toMatchObject({
      status: 400,
      reasons: ['required role'],
    });
    expect(
      await gateway.send(`PATCH ${own}/acl/bob@example.com`, {
        scope: { value: 'bob@example.com' },
        role: 'reader',
      }),
    ).toMatchObject({ status: 400, reasons: ['immutable scope'] });
    expect(
      (
        await gateway.send(`PUT ${own}/acl/user:bob@example.com`, {
          role: 'reader',
          scope: { value: 'bob@example.com' },
        })
      ).status,
    ).toBe(200);
    expect(
      await gateway.send(`PUT ${own}/acl/user:bob@example.com`, {
        role: 'reader',
        scope: { type: 'user', value: 'eve@example.com' },
      }),
    ).toMatchObject({ status: 400, reasons: ['immutable scope'] });
    for (const address of ['nobody', 'alice@example.com'])
      expect(await gateway.send(`DELETE ${own}/acl/user:${address}`)).toMatchObject({
        status: 400,
        reasons: ['invalid ruleId'],
      });
    expect(
      await gateway.send('GET /calendar/v3/calendars/alice@example.com/acl', undefined, {
        as: 'bob@example.com',
      }),
    ).toMatchObject({ status: 403, reasons: ['forbidden calendarId'] });
  });

  test('tell when their owners are busy', async () => {
    const range = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2026-12-01T23:00:00Z' };
    const ask = (body: object, scopes?: string[]) =>
      gateway.send('POST /calendar/v3/freeBusy', body, { scopes });
    const { status, json } = await ask({
      ...range,
      timeZone: 'Europe/Berlin',
      items: [{ id: 'primary' }, { id: 'nobody@example.com' }, { id: 'bob@example.com' }],
    });
    expect([status, json.kind, json.timeMin, json.timeMax, Object.keys(json.calendars)]).toEqual([
      200,
      'calendar#freeBusy',
      range.timeMin,
      range.timeMax,
      ['primary', 'nobody@example.com', 'bob@example.com'],
    ]);
    expect(json.calendars.primary.busy[0]).toEqual({
      start: '2026-12-01T09:00:00+01:00',
      end: '2026-12-01T09:15:00+01:00',
    });
    expect(json.calendars['nobody@example.com']).toEqual({
      errors: [{ domain: 'global', reason: 'notFound' }],
      busy: [],
    });
    expect(
      await ask({ ...range, items: Array.from({ length: 51 }, (_, index) => ({ id: `c${index}` })) }),
    ).toMatchObject({ status: 400, reasons: ['tooMany items'] });
    expect((await ask({})).reasons).toEqual(['required timeMin', 'required timeMax', 'required items']);
    expect((await ask({ ...range, items: 'primary' })).reasons).toEqual(['invalid items']);
    expect((await ask({ ...range, items: [{ id: 'primary' }, { id: 5 }, {}] })).reasons).toEqual([
      'invalid items[1].id',
      'required items[2].id',
    ]);
    expect((await ask({ ...range, items: [] })).reasons).toEqual(['required items']);
    expect((await ask({ ...range, timeZone: 'Mars', items: [{ id: 'primary' }] })).reasons).toEqual([
      'invalid timeZone',
    ]);
    expect(
      (await ask({ ...range, items: [] }, ['https://www.googleapis.com/auth/calendar.freebusy'])).status,
    ).toBe(403);
  });

  test('have eleven colours for events', async () => {
    const { json } = await gateway.send('GET /calendar/v3/colors');
    expect([json.kind, json.calendar, Object.keys(json.event), json.event['11']]).toEqual([
      'calendar#colors',
      {},
      Array.from({ length: 11 }, (_, index) => String(index + 1)),
      { foreground: '#1d1d1d', background: '#dc2127' },
    ]);
  });
});
