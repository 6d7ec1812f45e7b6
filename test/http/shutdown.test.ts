import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { listenOnFreePort, openSocket } from './raw-http.ts';

describe('a server that is stopping', () => {
  let gateway: TestGateway;
  let port: number;
  let agent: Agent;
  let headers: Record<string, string>;
  beforeEach(async () => {
    gateway = await startGateway();
    port = await listenOnFreePort(gateway);
    agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    headers = { 'content-type': 'application/json', authorization };
  });
  afterEach(async () => {
    agent.destroy();
    await gateway.close();
  });

  /** Sends a request on the agent's only connection. */
  async function postQuery(): Promise<{ answer: IncomingMessage; isReused: boolean; body: unknown }> {
    const body = JSON.stringify({ query: '{ event(calendarId: "primary", eventId: "holiday") { id } }' });
    const clientRequest = request({
      port,
      host: '127.0.0.1',
      path: '/graphql',
      method: 'POST',
      agent,
      headers,
    });
    clientRequest.end(body);
    const [answer] = (await once(clientRequest, 'response')) as [IncomingMessage];
    return { answer, isReused: clientRequest.reusedSocket, body: await json(answer) };
  }
  const subscription = 'subscription { calendarChanged(calendarId: "primary") { changedAt } }';
  const holidayResponse = { data: { event: { id: 'holiday' } } };

  test('accepts no new connections, but answers requests on open ones with Connection: close', async () => {
    expect((await postQuery()).answer.headers.connection).toBe('keep-alive');
    const drainResult = gateway.app.drain();
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    const { answer, isReused, body } = await postQuery();
    expect([isReused, answer.statusCode, body]).toEqual([true, 200, holidayResponse]);
    expect(answer.headers.connection).toBe('close');
    await drainResult; // no connection is left
  });

  test('first reports that it is not ready, but still accepts connections and streams', async () => {
    await postQuery();
    gateway.app.announceStop();
    const readyResponse = await gateway.app.inject('/health/ready');
    expect([readyResponse.statusCode, readyResponse.json()]).toEqual([503, { status: 'stopping' }]);
    const { answer, isReused, body } = await postQuery();
    expect([isReused, answer.headers.connection, body]).toEqual([true, 'keep-alive', holidayResponse]);
    const sendQuery = (text: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/graphql${text.startsWith('subscription') ? '/stream' : ''}`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: text }),
      });
    expect((await sendQuery('{ calendars { id } }')).status).toBe(200);
    const stream = await sendQuery(subscription);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });

  test('reports that it is not ready, and refuses streams', async () => {
    await gateway.app.drain();
    const readinessResponse = await gateway.app.inject('/health/ready');
    expect([readinessResponse.statusCode, readinessResponse.json()]).toEqual([503, { status: 'stopping' }]);
    const payload = { query: subscription };
    const stream = await gateway.app.inject({ method: 'POST', url: '/graphql/stream', headers, payload });
    expect(stream.statusCode).toBe(503);
    expect(stream.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] });
  });

  test('waits for idle connections no longer than the grace period', async () => {
    const idleSocket = await openSocket(port);
    const closeEvent = once(idleSocket, 'close');
    const graceMs = 1;
    await gateway.app.drain(graceMs);
    expect(idleSocket.readyState).toBe('open');
    idleSocket.end();
    await closeEvent;
  });
});
