import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { AppError } from '../../../src/core/errors.ts';
import type { Stores } from '../../../src/app/stores.ts';
import { eventually } from '../../eventually.ts';
import { startGateway, tokenFor, type Answer } from '../../harness.ts';
import { useForEach } from '../../use-resource.ts';

const insertField =
  'insertNotification(bucket: "demo-photos", notification: { topic: "projects/my-project/topics/new" }) { id }';
const patchField = (eventId: string): string =>
  `patchEvent(calendarId: "primary", eventId: "${eventId}", event: { summary: "New" }) { summary }`;
const readField = 'event(calendarId: "primary", eventId: "holiday") { id }';
const listField = 'notifications(bucket: "demo-photos") { id }';
const secretText = 'connect ECONNREFUSED 10.0.0.7:5432 SELECT * FROM events';

const codesOf = ({ errors = [] }: Answer): string[] =>
  errors.map(({ extensions: { code, reason } }) => `${code} ${reason}`);

describe('errors', () => {
  /** Thrown by the stores, unless it is undefined. */
  let failure: unknown;
  /** Lines of pino, whose level 40 is a warning and 50 an error. */
  let logLines: { level: number; err?: { message: string }; requestId?: string; count?: number }[];

  const gateway = useForEach(() => {
    failure = undefined;
    logLines = [];
    const throwFailureOr = async <T>(result: Promise<T>): Promise<T> => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- what drivers throw is not always an error
      if (failure !== undefined) throw failure;
      return result;
    };
    const { calendars, events, notifications, outbox, ...otherStores } = createMemoryStores(Date.now);
    const stores: Stores = {
      ...otherStores,
      calendars: { ...calendars, calendars: (refs) => throwFailureOr(calendars.calendars(refs)) },
      events: {
        ...events,
        events: (eventRefs) => throwFailureOr(events.events(eventRefs)),
        changeEvent: (target, decide) => throwFailureOr(events.changeEvent(target, decide)),
        calendarStates: (refs) => throwFailureOr(events.calendarStates(refs)),
        listCalendar: (ref, queryOf) => throwFailureOr(events.listCalendar(ref, queryOf)),
      },
      notifications,
      outbox: { ...outbox, backlog: () => throwFailureOr(outbox.backlog()) },
    };
    const lineCollector = {
      write: (line: string) => void logLines.push(JSON.parse(line) as (typeof logLines)[number]),
    };
    return startGateway({}, { stores, logTarget: lineCollector, logLevel: 'warn' });
  });

  test.each([{ thrown: new Error(secretText) }, { thrown: secretText }])(
    'that are unexpected are masked; the log has the cause under the request ID of the response (%#)',
    async ({ thrown }) => {
      failure = thrown;
      const answer = await gateway.ask(`{ ${readField} }`);
      expect([answer.status, ...codesOf(answer)]).toEqual([500, 'INTERNAL_SERVER_ERROR internalError']);
      expect(answer.body).not.toMatch(/ECONNREFUSED|SELECT|stack|\.ts/);
      const { message, extensions } = answer.errors?.[0] ?? {};
      expect(extensions?.requestId).toBe(answer.headers['x-request-id']);
      expect(message).toContain(extensions?.requestId);
      const linesOfRequest = logLines.filter(({ requestId }) => requestId === extensions?.requestId);
      expect(linesOfRequest).toHaveLength(1);
      expect(JSON.stringify(linesOfRequest)).toContain('ECONNREFUSED');
    },
  );

  test.each([
    ['is unavailable', new AppError('UNAVAILABLE', 'backendError', 'Later.', [], { retryAfter: 7 })],
    ['fails', new Error(secretText)],
  ])('a gateway with a store that %s is not ready', async (storeState, thrown) => {
    failure = thrown;
    const { statusCode, headers, body } = await gateway.app.inject('/health/ready');
    expect([statusCode, headers['retry-after'], JSON.parse(body)]).toMatchObject(
      storeState === 'fails'
        ? [500, undefined, { errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }]
        : [503, '7', { status: 'unavailable' }],
    );
    expect(body).not.toContain('ECONNREFUSED');
  });

  /** Stores an event status that the schema's enum does not have. */
  const storeUnknownStatus = () =>
    gateway.stores.events.changeEvent(
      { calendar: { id: 'alice@example.com' }, eventId: 'holiday', guests: [] },
      ({ event }) => ({
        next: event && { ...event, core: { ...event.core, status: 'postponed' as 'tentative' } },
        result: undefined,
      }),
    );

  test('a stored value unknown to the schema is an internal error', async () => {
    await storeUnknownStatus();
    const answer = await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { id status } }');
    expect(codesOf(answer)).toEqual(['INTERNAL_SERVER_ERROR internalError']);
    expect(answer.body).not.toContain('postponed');
    expect([answer.status, answer.data]).toEqual([200, { event: { id: 'holiday', status: null } }]);
    expect(JSON.stringify(logLines)).toContain('postponed');
  });

  test('a change whose response cannot be built is reported as carried out', async () => {
    await storeUnknownStatus();
    const answer = await gateway.ask(
      'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "New" }) { summary status } }',
    );
    expect([answer.status, answer.data]).toEqual([200, { patchEvent: { summary: 'New', status: null } }]);
    const [error] = answer.errors ?? [];
    expect(error?.message).toMatch(
      /^This was carried out, but the response could not be built\. .* under the id /,
    );
    expect(logLines.map(({ requestId }) => requestId)).toEqual([error?.extensions.requestId]);
  });

  test('leave variables, literals and names of the request out of the log', async () => {
    failure = new Error('the store broke');
    const namedQuery =
      'query Named($id: String!) { a: event(calendarId: "primary", eventId: $id) { id } event(calendarId: "primary", eventId: "secret literal") { id } }';
    await gateway.ask(namedQuery, { id: 'secret variable' });
    await gateway.ask('{ event(calendarId: "secret literal") { nope } }');
    await gateway.ask(namedQuery, { id: ['secret variable'] });
    expect(logLines.length).toBeGreaterThan(0);
    expect(JSON.stringify(logLines)).not.toMatch(/secret|Named/);
  });

  const createUnavailableError = (cause: string): AppError => {
    // PostgreSQL's code of a cancelled statement.
    const details = { code: '57014', statement: 'load event', detail: 'a stored value' };
    const driverError = Object.assign(new Error(cause), details);
    return new AppError('UNAVAILABLE', 'backendError', 'Try again later.', [], {}, driverError);
  };

  test('an unavailable backend is 503 when nothing was done; the log has each cause once a second with a count, without values', async () => {
    failure = createUnavailableError('canceling statement');
    const requestIds: unknown[] = [];
    for (const document of [
      `{ ${readField} }`,
      `{ a: ${readField} b: ${readField} }`,
      `mutation { ${patchField('holiday')} }`,
    ]) {
      const answer = await gateway.ask(document);
      expect(answer.status).toBe(503);
      expect(new Set(codesOf(answer))).toEqual(new Set(['UNAVAILABLE backendError']));
      expect(answer.body).not.toMatch(/57014|load event|canceling/);
      requestIds.push(answer.headers['x-request-id']);
    }
    // A request counts once, however many of its fields share the error.
    await eventually(async () =>
      expect(logLines.map(({ requestId, count }) => [requestId, count])).toEqual([
        [requestIds[0], undefined],
        [requestIds[2], 2],
      ]),
    );
    const cause = { type: 'Error', message: 'canceling statement', code: '57014', statement: 'load event' };
    for (const { level, err } of logLines)
      expect([level, err]).toEqual([50, expect.objectContaining({ code: 'UNAVAILABLE', cause })]);
    expect(JSON.stringify(logLines)).not.toContain('a stored value');
  });

  test('a stream that cannot be opened is logged once', async () => {
    failure = createUnavailableError('the server is gone');
    const answer = await gateway.app.inject({
      method: 'POST',
      url: '/graphql/stream',
      headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
      payload: { query: 'subscription { calendarChanged(calendarId: "primary") { changedAt } }' },
    });
    expect(answer.statusCode).toBe(503);
    expect(logLines).toMatchObject([{ level: 50, requestId: answer.headers['x-request-id'] }]);
  });

  test('a limit that is reached is logged as a warning', async () => {
    failure = new AppError('UNAVAILABLE', 'backendError', 'Too many are at work.');
    const { headers } = await gateway.ask(`{ ${readField} }`);
    const err = { message: 'Too many are at work.' };
    expect(logLines).toMatchObject([{ level: 40, requestId: headers['x-request-id'], err }]);
  });

  test('an unavailable backend is 200 when something was done', async () => {
    failure = createUnavailableError('the connection is lost');
    const answer = await gateway.ask(`{ ${readField} ${listField} }`);
    expect([answer.status, ...codesOf(answer)]).toEqual([200, 'UNAVAILABLE backendError']);
    expect(answer.data).toEqual({ event: null, notifications: [{ id: '1' }] });
    const writeAnswer = await gateway.ask(`mutation { ${patchField('holiday')} ${insertField} }`);
    expect(writeAnswer.status).toBe(200);
    expect(writeAnswer.data).toEqual({ patchEvent: null, insertNotification: { id: '2' } });
  });

  test('two kinds of failures together are reported in the body, with 200', async () => {
    failure = createUnavailableError('the connection is lost');
    const answer = await gateway.ask(`{ ${readField} notifications(bucket: "none") { id } }`);
    expect(answer.status).toBe(200);
    expect(codesOf(answer).sort()).toEqual(['NOT_FOUND notFound', 'UNAVAILABLE backendError']);
  });

  test('an unknown response field is not reported as a missing argument', async () => {
    const { errors } = await gateway.ask(
      '{ freeBusy(calendarIds: ["primary"], timeMin: "2030-01-01T00:00:00Z", timeMax: "2030-01-02T00:00:00Z") { calendar } }',
    );
    expect(errors).toMatchObject([
      { extensions: { reason: 'invalid', issues: [{ path: [], reason: 'invalid' }] } },
    ]);
  });
});
