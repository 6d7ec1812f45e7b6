import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { listen, open } from './raw.ts';

describe('a server that is told to stop', () => {
  let gateway: TestGateway;
  let port: number;
  let agent: Agent;
  let headers: Record<string, string>;
  beforeEach(async () => {
    gateway = await startGateway();
    port = await listen(gateway);
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    headers = { 'content-type': 'application/json', authorization };
  });
  afterEach(async () => {
    agent.destroy();
    await gateway.close();
  });

  /** A request on the agent's one connection. */
  async function ask(): Promise<{ answer: IncomingMessage; reused: boolean; body: unknown }> {
    const body = JSON.stringify({ query: '{ event(calendarId: "primary", eventId: "holiday") { id } }' });
    const sent = request({ port, host: '127.0.0.1', path: '/graphql', method: 'POST', agent, headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return { answer, reused: sent.reusedSocket, body: await json(answer) };
  }
  const subscription = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
  const found = { data: { event: { id: 'holiday' } } };

  test('accepts no new connection, answers what still comes on an open one, and asks to close it', async () => {
    expect((await ask()).answer.headers.connection).toBe('keep-alive');
    const drained = gateway.app.drain();
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    const { answer, reused, body } = await ask();
    expect([reused, answer.statusCode, body]).toEqual([true, 200, found]);
    expect(answer.headers.connection).toBe('close');
    await drained; // nobody is left
  });

  test('first says that it is not ready, and serves as before, new connections and streams too', async () => {
    await ask();
    gateway.app.announceStop();
    const ready = await gateway.app.inject('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'stopping' }]);
    const { answer, reused, body } = await ask();
    expect([reused, answer.headers.connection, body]).toEqual([true, 'keep-alive', found]);
    const query = (text: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/graphql${text.startsWith('subscription') ? '/stream' : ''}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: text }),
      });
    expect((await query('{ calendars { id } }')).status).toBe(200);
    const stream = await query(subscription);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  test('says that it is not ready any more, and opens no streams', async () => {
    await gateway.app.drain();
    const ready = await gateway.app.inject('/health/ready');
    expect([ready.statusCode, ready.json()]).toEqual([503, { status: 'stopping' }]);
    const payload = { query: subscription };
    const stream = await gateway.app.inject({ method: 'POST', url: '/graphql/stream', headers, payload });
    expect(stream.statusCode).toBe(503);
    expect(stream.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
  });

  test('waits for silent connections no longer than the grace', async () => {
    const silent = await open(port);
    const ended = once(silent, 'close');
    await gateway.app.drain(1);
    expect(silent.readyState).toBe('open');
    silent.end();
    await ended;
  });
});
