import { demoNow } from '../../harness.ts';
import { exchangeBytes } from '../../http/raw-http.ts';
import { eventListUrl, startRest, times, useRest } from './rest.harness.ts';
import { AppError } from '../../../src/core/errors.ts';
import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';

const bucketsUrl = '/storage/v1/b?project=demo-project';
const eventUrl = `${eventListUrl}/teammeeting`;

describe('errors over REST', () => {
  // A fixed clock keeps the day of the daily limits from ending.
  const rest = useRest({}, { clock: () => demoNow });
  let gatewayUrl: string;
  beforeAll(async () => {
    gatewayUrl = await rest.app.listen({ port: 0, host: '127.0.0.1' });
  });

  test('are reported all at once, each with its domain and its location', async () => {
    const { status, json } = await rest.send(`PATCH ${eventUrl}?conferenceDataVersion=7`, {
      summary: 5,
      colorId: '99',
      reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: -1 }] },
      conferenceData: { conferenceSolution: { key: { type: 3 } } },
    });
    const { errors, ...envelope } = json.error;
    expect(status).toBe(400);
    expect(envelope).toEqual({ code: 400, message: errors[0].message, status: 'INVALID_ARGUMENT' });
    const descriptions = errors.map(({ reason, domain, locationType, location }: Record<string, string>) =>
      [reason, domain, locationType, location].join(' '),
    );
    expect(descriptions.sort()).toEqual([
      'cannotUseDefaultRemindersAndSpecifyOverride calendar other reminders.useDefault',
      'invalid global other colorId',
      'invalid global other conferenceData.conferenceSolution.key.type',
      'invalid global other reminders.overrides[0].minutes',
      'invalid global other summary',
      'invalid global parameter conferenceDataVersion',
    ]);
  });

  test('are 409 for conflicts: duplicate, or conflict for the name of a bucket', async () => {
    const body = { ...times, id: 'abcde12345' };
    await rest.send(`POST ${eventListUrl}`, body);
    expect(await rest.send(`POST ${eventListUrl}`, body)).toMatchObject({
      status: 409,
      reasons: ['duplicate id'],
      json: { error: { status: 'ALREADY_EXISTS' } },
    });
    expect(await rest.refusal(`POST ${bucketsUrl}`, { name: 'demo-photos' })).toBe('409 conflict name');
    for (const [request, firstBody, conflictingBody] of [
      [`POST ${eventListUrl}?requestId=once`, times, { ...times, summary: 'Other' }],
      [`POST ${bucketsUrl}&requestId=once`, { name: 'asked-for-once' }, { name: 'and-for-another' }],
    ] as const) {
      expect(await rest.status(request, firstBody)).toBe(200);
      expect(await rest.refusal(request, conflictingBody)).toBe('409 duplicate requestId');
    }
  });

  test('are 412 with the current etag when If-Match has another etag', async () => {
    const { json } = await rest.send(`GET ${eventUrl}`);
    for (const [verb, body] of [['PATCH', json], ['PUT', json], ['DELETE']] as const)
      expect(await rest.withHeaders({ 'if-match': '"old"' }).send(`${verb} ${eventUrl}`, body)).toMatchObject(
        {
          status: 412,
          reasons: ['conditionNotMet If-Match'],
          headers: { etag: json.etag },
          json: { error: { status: 'FAILED_PRECONDITION', errors: [{ locationType: 'header' }] } },
        },
      );
  });

  test.each([
    ['the etag', (etag: string) => etag, 200],
    ['a list that ends with it', (etag: string) => `"a", ${etag}`, 200],
    ['a list that begins with it', (etag: string) => `${etag},"b"`, 200],
    ['a star', () => '*', 200],
    ['an empty value', () => '', 200],
    ['a list of others', () => '"a", "b"', 412],
    ['the weak etag', (etag: string) => `W/${etag}`, 412],
    ['a star in a list', () => '"a", *', 412],
    ['the etag without quotes', (etag: string) => etag.slice(1, -1), 412],
  ])('depend on If-Match with %s', async (condition, createHeader, status) => {
    const { etag } = await rest.json(`GET ${eventUrl}`);
    const patchStatus = rest
      .withHeaders({ 'if-match': createHeader(etag) })
      .status(`PATCH ${eventUrl}`, { location: condition });
    expect(await patchStatus).toBe(status);
  });

  test('are indented with prettyPrint', async () => {
    for (const [client, request] of [
      [rest, `${eventListUrl}/nothing?prettyPrint=true`],
      [rest, '/calendar/v3/nothing?alt=json&prettyPrint=TRUE'],
      [rest, `${eventListUrl}?maxResults=0&prettyPrint=true`],
      [rest.as(null), `${eventListUrl}?prettyPrint=true`],
    ] as const)
      expect((await client.send(`GET ${request}`)).body).toMatch(/^{\n {2}"error": {\n/);
    expect((await rest.send(`GET ${eventListUrl}/nothing?prettyPrint=false`)).body).toMatch(/^{"error":{/);
  });

  test('are 410 for a second DELETE of an event, which succeeds over GraphQL', async () => {
    const { id } = await rest.json(`POST ${eventListUrl}`, times);
    expect(await rest.status(`DELETE ${eventListUrl}/${id}`)).toBe(204);
    expect(await rest.send(`DELETE ${eventListUrl}/${id}`)).toMatchObject({
      status: 410,
      reasons: ['deleted'],
      json: { error: { status: 'FAILED_PRECONDITION', errors: [{ domain: 'global' }] } },
    });
    expect((await rest.json(`GET ${eventListUrl}/${id}`)).status).toBe('cancelled');
    expect(await rest.status(`DELETE ${eventListUrl}/nothing`)).toBe(404);
    const document = 'mutation ($id: String!) { deleteEvent(calendarId: "primary", eventId: $id) }';
    expect((await rest.ask(document, { id })).data.deleteEvent).toBe(true);
  });

  test('are 429 over a daily limit, with Retry-After until the next day', async () => {
    let lastAnswer = await rest.send(`POST ${bucketsUrl}`, { name: 'made-today-0' });
    for (let count = 1; lastAnswer.status === 200 && count <= 100; count += 1)
      lastAnswer = await rest.send(`POST ${bucketsUrl}`, { name: `made-today-${count}` });
    expect(lastAnswer).toMatchObject({
      status: 429,
      reasons: ['rateLimitExceeded'],
      json: { error: { status: 'RESOURCE_EXHAUSTED', errors: [{ domain: 'usageLimits' }] } },
      headers: { 'retry-after': expect.stringMatching(/^\d{1,5}$/) },
    });
    expect(Number(lastAnswer.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  });

  test.each([
    ['too long headers', `GET /calendar/v3/colors HTTP/1.1\r\nX: ${'a'.repeat(20_000)}`, 431],
    ['a malformed request line', 'GET /storage/v1/b x HTTP/1.1', 400],
    ['an absolute URL as target', 'GET http://evil.example/calendar/v3/nothing HTTP/1.1', 404],
  ])('have the REST envelope for %s', async (_what, requestHead, code) => {
    const { port } = new URL(gatewayUrl);
    const { status, body } = await exchangeBytes(
      Number(port),
      `${requestHead}\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect([status, JSON.parse(body)]).toMatchObject([code, { error: { code } }]);
  });
});

describe('failures of a store over REST', () => {
  /** Reads a calendar while the store fails with an error; returns the response and the log. */
  async function readWithFailingStore(error: Error) {
    const stores = createMemoryStores(Date.now);
    const calendars = { ...stores.calendars, calendars: () => Promise.reject(error) };
    const logLines: string[] = [];
    const gateway = await startRest(
      { PRIMARY_CALENDARS: 'off' },
      {
        stores: { ...stores, calendars } as unknown as typeof stores,
        seed: undefined,
        logLevel: 'error',
        logTarget: { write: (line: string) => void logLines.push(line) },
      },
    );
    const answer = await gateway.send('GET /calendar/v3/calendars/primary');
    await gateway.close();
    return { answer, log: logLines.join('') };
  }

  test('that are temporary are 503 with Retry-After', async () => {
    const { answer } = await readWithFailingStore(
      new AppError('UNAVAILABLE', 'backendError', 'Nobody knows.'),
    );
    expect(answer).toMatchObject({
      status: 503,
      reasons: ['backendError'],
      headers: { 'retry-after': '1' },
      json: { error: { code: 503, status: 'UNAVAILABLE', message: 'Nobody knows.' } },
    });
  });

  test('that are unexpected are masked, and logged with the request ID', async () => {
    const { answer, log } = await readWithFailingStore(new Error('the secret of the house'));
    expect(answer).toMatchObject({
      status: 500,
      reasons: ['internalError'],
      json: { error: { status: 'INTERNAL' } },
    });
    expect(answer.body).not.toContain('secret of the house');
    expect(log).toContain(answer.headers['x-request-id']);
  });
});
