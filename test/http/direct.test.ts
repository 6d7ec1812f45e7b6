import inject, { type InjectOptions } from 'light-my-request';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';

const long = '{ __schema { types { name description } } }';
const patch = 'mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { htmlLink: "x" }) { id } }';

describe('what answers most requests without the framework', () => {
  let gateway: TestGateway;
  let authorization: string;
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    gateway = await startGateway({ RATE_LIMIT: '100' }, { logTo });
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });
  afterAll(() => gateway.close());

  const usual = { 'content-type': 'application/json' };
  const bodyOf = (query: string): string => JSON.stringify({ query });
  const cases: Readonly<Record<string, { headers?: Record<string, string>; payload: string; anonymous?: true }>> = {
    'an operation': { payload: bodyOf('{ __typename }') },
    'a mutation that warns': { payload: bodyOf(patch) },
    'a long answer': { payload: bodyOf(long) },
    'a long answer, compressed': { payload: bodyOf(long), headers: { 'accept-encoding': 'gzip' } },
    'a short answer that could be compressed': { payload: bodyOf('{ __typename }'), headers: { 'accept-encoding': 'br' } },
    'the media type of GraphQL': { payload: bodyOf('{ nothing }'), headers: { accept: 'application/graphql-response+json' } },
    'a media type that there is not': { payload: bodyOf('{ __typename }'), headers: { accept: 'text/csv' } },
    'a document that does not fit the schema': { payload: bodyOf('{ nothing }') },
    'an event that there is not': { payload: bodyOf('{ event(calendarId: "primary", eventId: "nothing") { id } }') },
    'a caller without a token': { payload: bodyOf('{ calendars { id } }'), anonymous: true },
    'a token that is none': { payload: bodyOf('{ __typename }'), headers: { authorization: 'Bearer a.b.c' } },
    'a body that is no JSON': { payload: '{"query":' },
    'an empty body': { payload: '' },
    'a body that is nested too deep': { payload: '['.repeat(50) + ']'.repeat(50) },
    'a body that is too long': { payload: bodyOf(' '.repeat(70_000)), anonymous: true },
    'a body that is no request': { payload: '[]' },
    'another type of body': { payload: 'query={ __typename }', headers: { 'content-type': 'text/plain' } },
    'a Host that is none': { payload: bodyOf('{ __typename }'), headers: { host: 'a b' } },
    'a foreign page': { payload: bodyOf('{ __typename }'), headers: { origin: 'https://evil.example' } },
  };

  /** What is promised of an answer and its line of the log: all but what differs from request to request. */
  async function tellOf(send: (options: InjectOptions) => Promise<{ statusCode: number; headers: object; body: string }>, options: InjectOptions) {
    lines.length = 0;
    const { statusCode, headers, body } = await send(options);
    while (!lines.some(({ msg }) => msg === 'request')) await new Promise(setImmediate);
    const known = (text: string): unknown => JSON.parse(text.replaceAll(/"requestId":"[^"]*"/g, '"requestId":""'));
    const { 'x-request-id': id, date, ...told } = headers as Record<string, unknown>;
    return {
      statusCode, told, identified: [typeof id, typeof date], body: told['content-encoding'] === undefined ? known(body) : body.length,
      log: lines.map(({ time, ms, requestId, pid, hostname, ...line }) => ({ ...line, has: [time, ms, requestId, pid, hostname].map((value) => typeof value) })),
    };
  }

  test.each(Object.entries(cases))('answers and logs %s as the framework does', async (_title, { payload, headers, anonymous }) => {
    const options: InjectOptions = { method: 'POST', url: '/graphql', payload, headers: { ...usual, ...(!anonymous && { authorization }), ...headers } };
    const direct = await tellOf((asked) => inject((request, response) => void gateway.app.server.emit('request', request, response), asked), options);
    const framework = await tellOf((asked) => gateway.app.inject(asked as object), options);
    expect(direct).toEqual(framework);
  });

  test('charges a caller for what fails as well', async () => {
    const as = `Bearer ${await tokenFor('carol@example.com')}`;
    const statuses: number[] = [];
    for (let request = 0; request < 101; request += 1) {
      const { statusCode } = await inject((asked, response) => void gateway.app.server.emit('request', asked, response), {
        method: 'POST', url: '/graphql', payload: '{', headers: { ...usual, authorization: as },
      });
      statuses.push(statusCode);
    }
    expect([statuses[99], statuses[100]]).toEqual([400, 429]);
  });
});
