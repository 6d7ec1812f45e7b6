import { useRest } from './rest.harness.ts';

const calendarListUrl = '/calendar/v3/users/me/calendarList';
const calendarsUrl = '/calendar/v3/calendars';
const primaryUrl = `${calendarsUrl}/primary`;
const aclUrl = `${primaryUrl}/acl`;
const bobsRuleUrl = `${aclUrl}/user:bob@example.com`;
const aclRule = (value: string, role?: string) => ({ scope: { type: 'user', value }, role });
const expectedRule = (email: string, role: string) => ({
  kind: 'calendar#aclRule',
  etag: expect.any(String),
  id: `user:${email}`,
  ...aclRule(email, role),
});

describe('calendars over REST', () => {
  const rest = useRest();
  const bobsClient = rest.as('bob@example.com');
  const staleClient = rest.withHeaders({ 'if-match': '"old"' });

  test('are listed with the role and settings of the caller', async () => {
    const { kind, etag, items } = await rest.json(`GET ${calendarListUrl}`);
    expect([kind, etag]).toEqual(['calendar#calendarList', expect.any(String)]);
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
    expect(await rest.json(`GET ${calendarListUrl}/primary`)).toEqual(items[0]);
    const ownedCalendars = (await rest.json(`GET ${calendarListUrl}?minAccessRole=owner`)).items;
    expect(new Set(ownedCalendars.map(({ accessRole }: { accessRole: string }) => accessRole))).toEqual(
      new Set(['owner']),
    );
    const firstPage = await rest.json(`GET ${calendarListUrl}?maxResults=1&minAccessRole=freeBusyReader`);
    const secondPage = await rest.json(
      `GET ${calendarListUrl}?maxResults=250&pageToken=${firstPage.nextPageToken}`,
    );
    expect([...firstPage.items, ...secondPage.items]).toEqual(items);
  });

  test('are created, read, patched, replaced and deleted', async () => {
    const body = { summary: 'Team', description: 'd', backgroundColor: '#ffffff' };
    const { json: createdCalendar, warnings } = await rest.send(`POST ${calendarsUrl}`, body);
    expect(createdCalendar).toEqual({
      kind: 'calendar#calendar',
      etag: expect.any(String),
      id: expect.any(String),
      summary: 'Team',
      description: 'd',
      timeZone: 'UTC',
    });
    expect(warnings).toEqual(['unknownField backgroundColor']);
    const url = `${calendarsUrl}/${createdCalendar.id}`;
    const conditionalClient = rest.withHeaders({ 'if-match': createdCalendar.etag });
    expect(await rest.json(`GET ${url}`)).toEqual(createdCalendar);
    const patchedCalendar = await conditionalClient.json(`PATCH ${url}`, {
      location: 'here',
      timeZone: 'Asia/Tokyo',
    });
    expect(patchedCalendar).toMatchObject({ summary: 'Team', location: 'here', timeZone: 'Asia/Tokyo' });
    expect(await rest.json(`PUT ${url}`, patchedCalendar)).toEqual(patchedCalendar);
    const { etag: _etag, ...replacedCalendar } = await rest.json(`PUT ${url}`, { summary: 'Squad' });
    expect(replacedCalendar).toEqual({
      kind: createdCalendar.kind,
      id: createdCalendar.id,
      summary: 'Squad',
      timeZone: 'Asia/Tokyo',
    });
    expect(await conditionalClient.status(`DELETE ${url}`)).toBe(412);
    expect([await rest.status(`DELETE ${url}`), await rest.status(`DELETE ${url}`)]).toEqual([204, 404]);
    expect(await rest.refusal(`DELETE ${primaryUrl}`)).toBe('403 forbidden calendarId');
  });

  test('are shared by ACL rules', async () => {
    const ruleUrl = (email: string) => `${aclUrl}/${encodeURIComponent(`user:${email}`)}`;
    const evesRuleUrl = ruleUrl('eve@example.com');
    expect(await rest.json(`GET ${aclUrl}`)).toEqual({
      kind: 'calendar#acl',
      etag: expect.any(String),
      items: [expectedRule('alice@example.com', 'owner'), expectedRule('bob@example.com', 'reader')],
    });
    expect(await rest.json(`POST ${aclUrl}`, aclRule('eve@example.com', 'reader'))).toEqual(
      expectedRule('eve@example.com', 'reader'),
    );
    const writerRule = expectedRule('eve@example.com', 'writer');
    expect(await rest.json(`PATCH ${ruleUrl('EVE@example.com')}`, { role: 'writer' })).toEqual(writerRule);
    expect(await rest.json(`PATCH ${evesRuleUrl}`, {})).toEqual(writerRule);
    expect(await rest.json(`PUT ${evesRuleUrl}`, await rest.json(`GET ${evesRuleUrl}`))).toEqual(writerRule);
    const { nextPageToken } = await rest.json(`GET ${aclUrl}?maxResults=2`);
    expect((await rest.json(`GET ${aclUrl}?pageToken=${nextPageToken}`)).items).toEqual([writerRule]);
    expect(await rest.status(`DELETE ${evesRuleUrl}`)).toBe(204);
    for (const request of [
      `GET ${evesRuleUrl}`,
      `GET ${aclUrl}/eve@example.com`,
      `DELETE ${aclUrl}/eve@example.com`,
    ])
      expect(await rest.refusal(request)).toBe('404 notFound ruleId');
    expect(await rest.refusal(`PATCH ${evesRuleUrl}`, { role: 'reader' })).toBe('404 notFound ruleId');
  });

  test('check If-Match when ACL rules change, and ignore their read-only fields', async () => {
    const { json } = await rest.send(`GET ${bobsRuleUrl}`);
    for (const [request, body] of [
      [`PATCH ${bobsRuleUrl}`, { role: 'writer' }],
      [`PATCH ${bobsRuleUrl}`, {}],
      [`PUT ${bobsRuleUrl}`, { role: 'writer' }],
      [`DELETE ${bobsRuleUrl}`],
    ] as const)
      expect(await staleClient.send(request, body)).toMatchObject({
        status: 412,
        reasons: ['conditionNotMet If-Match'],
        headers: { etag: json.etag },
      });
    expect(await staleClient.status(`DELETE ${aclUrl}/user:zoe@example.com`)).toBe(412);
    const carolsRuleUrl = `${calendarsUrl}/alice@example.com/acl/user:carol@example.com`;
    expect(await bobsClient.withHeaders({ 'if-match': '"old"' }).status(`DELETE ${carolsRuleUrl}`)).toBe(403);
    const conditionalOwner = rest.withHeaders({ 'if-match': json.etag });
    expect(
      await conditionalOwner.send(`PUT ${bobsRuleUrl}`, { ...json, id: 'user:x', kind: 'x' }),
    ).toMatchObject({
      status: 200,
      warnings: ['readOnly kind', 'readOnly id'],
    });
    const changedRule = await rest.send(`PATCH ${bobsRuleUrl}`, { ...json, role: 'writer' });
    expect([changedRule.json.role, changedRule.warnings]).toEqual(['writer', undefined]);
    await rest.send(`PUT ${bobsRuleUrl}`, { role: 'reader' });
  });

  test('change their representation in the list with the role of the caller', async () => {
    const { id, etag } = await rest.json(`POST ${calendarsUrl}`, { summary: 'Roles' });
    await rest.send(`POST ${calendarsUrl}/${id}/acl`, aclRule('bob@example.com', 'reader'));
    const readListEtag = async () => (await bobsClient.json(`GET ${calendarListUrl}`)).etag as string;
    const etagBefore = await readListEtag();
    await rest.send(`PUT ${calendarsUrl}/${id}/acl/user:bob@example.com`, { role: 'writer' });
    expect(await readListEtag()).not.toBe(etagBefore);
    const headers = { 'if-none-match': etag };
    expect(await bobsClient.withHeaders(headers).send(`GET ${calendarListUrl}/${id}`)).toMatchObject({
      status: 200,
      json: { etag, accessRole: 'writer' },
    });
    expect(await rest.withHeaders(headers).status(`GET ${calendarsUrl}/${id}`)).toBe(304);
  });

  test('can be left by a user with access, and the role none removes a rule', async () => {
    const { id } = await rest.json(`POST ${calendarsUrl}`, { summary: 'Guests' });
    const rulesUrl = `${calendarsUrl}/${id}/acl`;
    for (const name of ['bob', 'eve', 'zoe'])
      await rest.send(`POST ${rulesUrl}`, aclRule(`${name}@example.com`, 'writer'));
    expect(await bobsClient.status(`DELETE ${rulesUrl}/user:bob@example.com`)).toBe(204);
    expect(await rest.json(`POST ${rulesUrl}`, aclRule('eve@example.com', 'none'))).toMatchObject({
      id: 'user:eve@example.com',
      role: 'none',
    });
    expect((await rest.json(`PATCH ${rulesUrl}/user:zoe@example.com`, { role: 'none' })).role).toBe('none');
    expect((await rest.json(`GET ${rulesUrl}`)).items).toEqual([expectedRule('alice@example.com', 'owner')]);
    expect(await bobsClient.status(`GET ${calendarsUrl}/${id}`)).toBe(404);
  });

  test.each([
    ['POST', '', { scope: { type: 'domain', value: 'x.example' }, role: 'reader' }, 'invalid scope.type'],
    ['POST', '', {}, 'required role, required scope.type, required scope.value'],
    ['POST', '', aclRule('nobody', 'king'), 'invalid role, invalid scope.value'],
    ['PUT', '/user:bob@example.com', {}, 'required role'],
    ['PATCH', '/user:bob@example.com', { role: null }, 'required role'],
    ['PATCH', '/bob@example.com', { scope: { value: 'bob@example.com' }, role: 'reader' }, 'immutable scope'],
    ['PUT', '/user:bob@example.com', aclRule('eve@example.com', 'reader'), 'immutable scope'],
    ['DELETE', '/user:nobody', undefined, 'invalid ruleId'],
    ['DELETE', '/user:alice@example.com', undefined, 'invalid ruleId'],
  ])('report the errors of an ACL rule: %s acl%s %j', async (verb, path, body, problems) => {
    expect(await rest.refusal(`${verb} ${aclUrl}${path}`, body)).toBe(`400 ${problems}`);
  });

  test('show ACL rules only to owners, and accept an unchanged scope', async () => {
    const body = { role: 'reader', scope: { value: 'bob@example.com' } };
    expect(await rest.status(`PUT ${bobsRuleUrl}`, body)).toBe(200);
    expect(await bobsClient.refusal(`GET ${calendarsUrl}/alice@example.com/acl`)).toBe(
      '403 forbidden calendarId',
    );
  });

  const range = { timeMin: '2026-12-01T00:00:00Z', timeMax: '2026-12-01T23:00:00Z' };

  test('show busy times', async () => {
    const items = [{ id: 'primary' }, { id: 'nobody@example.com' }, { id: 'bob@example.com' }];
    const { calendars: busyByCalendar, ...envelope } = await rest.json('POST /calendar/v3/freeBusy', {
      ...range,
      timeZone: 'Europe/Berlin',
      items,
    });
    expect(envelope).toMatchObject({ kind: 'calendar#freeBusy', ...range });
    expect(Object.keys(busyByCalendar)).toEqual(items.map(({ id }) => id));
    expect(busyByCalendar.primary.busy[0]).toEqual({
      start: '2026-12-01T09:00:00+01:00',
      end: '2026-12-01T09:15:00+01:00',
    });
    expect(busyByCalendar['nobody@example.com']).toEqual({
      errors: [{ domain: 'global', reason: 'notFound' }],
      busy: [],
    });
  });

  test.each([
    [{ ...range, items: Array.from({ length: 51 }, (_, index) => ({ id: `c${index}` })) }, 'tooMany items'],
    [{}, 'required items, required timeMax, required timeMin'],
    [{ ...range, items: 'primary' }, 'invalid items'],
    [
      { timeMin: range.timeMin, timeMax: range.timeMin, timeZone: 'Mars', items: [{ id: 5 }, {}] },
      'invalid items[0].id, invalid timeMax, invalid timeZone, required items[1].id',
    ],
    [{ ...range, items: [] }, 'required items'],
  ])('report the errors of a free/busy query: %j', async (query, problems) => {
    expect(await rest.refusal('POST /calendar/v3/freeBusy', query)).toBe(`400 ${problems}`);
  });

  test('have eleven colours for events', async () => {
    const { kind, calendar, event } = await rest.json('GET /calendar/v3/colors');
    expect([kind, calendar]).toEqual(['calendar#colors', {}]);
    expect(Object.keys(event)).toEqual(Array.from({ length: 11 }, (_, index) => String(index + 1)));
    expect(event['11']).toEqual({ foreground: '#1d1d1d', background: '#dc2127' });
  });
});
