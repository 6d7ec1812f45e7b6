import { events, startRest, type RestGateway } from './rest.harness.ts';
import { AppError } from '../../../src/core/kernel/errors.ts';
import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';

const times = { start: { dateTime: '2026-12-02T10:00:00Z' }, end: { dateTime: '2026-12-02T11:00:00Z' } };

describe('errors over REST', () => {
  let gateway: RestGateway;
  beforeAll(async () => {
    gateway = await startRest();
  });
  afterAll(() => gateway.close());

  test('come all at once, each with its place', async () => {
    const { status, json } = await gateway.send(`PATCH ${events}/teammeeting?conferenceDataVersion=7`, {
      summary: 5,
      colorId: '99',
      reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: -1 }] },
      conferenceData: { conferenceSolution: { key: { type: 3 } } },
    });
    const { errors, ...rest } = json.error;
    expect([status, rest]).toEqual([
      400,
      { code: 400, message: errors[0].message, status: 'INVALID_ARGUMENT' },
    ]);
    expect(
      errors
        .map(({ reason, domain, locationType, location }: Record<string, string>) =>
          [reason, domain, locationType, location].join(' '),
        )
        .sort(),
    ).toEqual([
      'cannotUseDefaultRemindersAndSpecifyOverride calendar other reminders.useDefault',
      'invalid global other colorId',
      'invalid global other conferenceData.conferenceSolution.key.type',
      'invalid global other reminders.overrides[0].minutes',
      'invalid global other summary',
      'invalid global parameter conferenceDataVersion',
    ]);
  });

  test('carry the domain of the official API', async () => {
    const late = await gateway.send(`PATCH ${events}/teammeeting`, {
      end: { dateTime: '2000-01-01T00:00:00Z' },
    });
    expect(late.json.error.errors).toMatchObject([
      { domain: 'calendar', reason: 'timeRangeEmpty', locationType: 'other', location: 'end' },
    ]);
    const guest = await gateway.send(
      `PATCH ${events}/teammeeting`,
      { summary: 'Mine' },
      { as: 'bob@example.com' },
    );
    expect(guest.json.error).toMatchObject({
      code: 403,
      status: 'PERMISSION_DENIED',
      errors: [{ domain: 'calendar', reason: 'forbiddenForNonOrganizer', location: 'summary' }],
    });
  });

  test('tell nothing of what the caller may not see', async () => {
    const hidden = await gateway.send('GET /calendar/v3/calendars/alice@example.com/events', undefined, {
      as: 'mallory@example.com',
    });
    const missing = await gateway.send('GET /calendar/v3/calendars/nobody@example.com/events', undefined, {
      as: 'mallory@example.com',
    });
    expect(hidden).toMatchObject({
      status: 404,
      reasons: ['notFound calendarId'],
      json: { error: { status: 'NOT_FOUND' } },
    });
    expect(hidden.json).toEqual(missing.json);
  });

  test('name conflicts, in buckets by another name', async () => {
    const id = 'abcde12345';
    await gateway.send(`POST ${events}`, { ...times, id });
    expect(await gateway.send(`POST ${events}`, { ...times, id })).toMatchObject({
      status: 409,
      reasons: ['duplicate id'],
      json: { error: { status: 'ALREADY_EXISTS' } },
    });
    expect(
      await gateway.send('POST /storage/v1/b?project=demo-project', { name: 'demo-photos' }),
    ).toMatchObject({ status: 409, reasons: ['conflict name'] });
    await gateway.send(`POST ${events}?requestId=once`, times);
    expect(await gateway.send(`POST ${events}?requestId=once`, { ...times, summary: 'Other' })).toMatchObject(
      { status: 409, reasons: ['duplicate requestId'] },
    );
    await gateway.send('POST /storage/v1/b?project=demo-project&requestId=once', { name: 'asked-for-once' });
    expect(
      await gateway.send('POST /storage/v1/b?project=demo-project&requestId=once', {
        name: 'and-for-another',
      }),
    ).toMatchObject({ status: 409, reasons: ['duplicate requestId'] });
  });

  test('give the present etag to whoever had another one', async () => {
    const { json } = await gateway.send(`GET ${events}/teammeeting`);
    for (const request of [
      `PATCH ${events}/teammeeting`,
      `PUT ${events}/teammeeting`,
      `DELETE ${events}/teammeeting`,
    ]) {
      const refused = await gateway.send(request, request.startsWith('DELETE') ? undefined : json, {
        headers: { 'if-match': '"old"' },
      });
      expect(refused).toMatchObject({
        status: 412,
        reasons: ['conditionNotMet If-Match'],
        headers: { etag: json.etag },
        json: { error: { status: 'FAILED_PRECONDITION', errors: [{ locationType: 'header' }] } },
      });
    }
    expect(
      (
        await gateway.send(
          `PATCH ${events}/teammeeting`,
          { location: 'Room 4' },
          { headers: { 'if-match': json.etag } },
        )
      ).status,
    ).toBe(200);
  });

  test('ask for the etag among those that a client has', async () => {
    const etagOf = async (): Promise<string> => (await gateway.send(`GET ${events}/teammeeting`)).json.etag;
    const patch = async (header: string, location: string) =>
      (await gateway.send(`PATCH ${events}/teammeeting`, { location }, { headers: { 'if-match': header } }))
        .status;
    expect([
      await patch(`"a", ${await etagOf()}`, 'Room 5'),
      await patch(`${await etagOf()},"b"`, 'Room 6'),
      await patch('*', 'Room 7'),
      await patch('', 'Room 8'),
    ]).toEqual([200, 200, 200, 200]);
    for (const header of ['"a", "b"', `W/${await etagOf()}`, '"a", *', (await etagOf()).slice(1, -1)])
      expect([header, await patch(header, 'Room 9')]).toEqual([header, 412]);
    const { data } = await gateway.ask(
      'mutation ($etags: String!) { patchEvent(calendarId: "primary", eventId: "teammeeting", ifMatch: $etags, event: { location: "Room 3" }) { location } }',
      { etags: `"a", ${await etagOf()}` },
    );
    expect(data.patchEvent.location).toBe('Room 3');
  });

  test('are indented where answers are', async () => {
    for (const request of [
      `GET ${events}/nothing?prettyPrint=true`,
      'GET /calendar/v3/nothing?alt=json&prettyPrint=TRUE',
      `GET ${events}?maxResults=0&prettyPrint=true`,
      `GET ${events}?prettyPrint=true`,
    ]) {
      expect(
        (
          await gateway.send(request, undefined, {
            as: request.startsWith(`GET ${events}?prettyPrint`) ? null : 'alice@example.com',
          })
        ).body,
      ).toMatch(/^{\n {2}"error": {\n/);
    }
    expect((await gateway.send(`GET ${events}/nothing?prettyPrint=false`)).body).toMatch(/^{"error":{/);
  });

  test('say that an event is deleted already', async () => {
    const { json } = await gateway.send(`POST ${events}`, times);
    expect((await gateway.send(`DELETE ${events}/${json.id}`)).status).toBe(204);
    expect(await gateway.send(`DELETE ${events}/${json.id}`)).toMatchObject({
      status: 410,
      reasons: ['deleted'],
      json: { error: { status: 'FAILED_PRECONDITION', errors: [{ domain: 'global' }] } },
    });
    expect((await gateway.send(`GET ${events}/${json.id}`)).json.status).toBe('cancelled');
    expect((await gateway.send(`DELETE ${events}/nothing`)).status).toBe(404);
    const { data } = await gateway.ask(
      'mutation ($id: String!) { deleteEvent(calendarId: "primary", eventId: $id) }',
      { id: json.id },
    );
    expect(data.deleteEvent).toBe(true);
  });

  test('stay short, whatever was sent', async () => {
    const { body } = await gateway.send(`POST ${events}`, {
      ...times,
      extendedProperties: {
        private: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}${'k'.repeat(3000)}`, 'v'])),
      },
    });
    expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  });
});

test('a bound of the day says when the next day begins', async () => {
  const gateway = await startRest();
  let last = await gateway.send('POST /storage/v1/b?project=demo-project', { name: 'made-today-0' });
  for (let count = 1; last.status === 200 && count <= 100; count += 1)
    last = await gateway.send('POST /storage/v1/b?project=demo-project', { name: `made-today-${count}` });
  expect(last).toMatchObject({
    status: 429,
    reasons: ['rateLimitExceeded'],
    json: { error: { status: 'RESOURCE_EXHAUSTED', errors: [{ domain: 'usageLimits' }] } },
  });
  expect(last.headers['retry-after']).toMatch(/^\d{1,5}$/);
  expect(Number(last.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  await gateway.close();
});

test('what cannot be reached for a while says so', async () => {
  const stores = createMemoryStores(Date.now);
  const away = {
    ...stores,
    calendars: {
      ...stores.calendars,
      calendars: () => Promise.reject(new AppError('UNAVAILABLE', 'backendError', 'Nobody knows.')),
    },
  };
  const gateway = await startRest(
    { PRIMARY_CALENDARS: 'off' },
    { stores: away as unknown as typeof stores, seed: undefined, logLevel: 'fatal' },
  );
  const answer = await gateway.send('GET /calendar/v3/calendars/primary');
  expect(answer).toMatchObject({
    status: 503,
    reasons: ['backendError'],
    headers: { 'retry-after': '1' },
    json: { error: { code: 503, status: 'UNAVAILABLE', message: 'Nobody knows.' } },
  });
  await gateway.close();
});

test('what breaks inside is masked, and logged under the id of the request', async () => {
  const stores = createMemoryStores(Date.now);
  const lines: string[] = [];
  const broken = {
    ...stores,
    calendars: { ...stores.calendars, calendars: () => Promise.reject(new Error('the secret of the house')) },
  };
  const gateway = await startRest(
    { PRIMARY_CALENDARS: 'off' },
    {
      stores: broken as unknown as typeof stores,
      seed: undefined,
      logLevel: 'error',
      logTo: { write: (line: string) => void lines.push(line) },
    },
  );
  const { status, json, body, headers } = await gateway.send('GET /calendar/v3/calendars/primary');
  expect([status, json.error.status, json.error.errors[0].reason]).toEqual([
    500,
    'INTERNAL',
    'internalError',
  ]);
  expect(body).not.toContain('secret of the house');
  expect(lines.join('')).toContain(headers['x-request-id']);
  await gateway.close();
});
