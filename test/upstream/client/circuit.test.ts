import { Circuit } from '../../../src/upstream/client/attempts.ts';
import { openClient, json, readCall, reset, startService, writeCall } from './client.harness.ts';
import { useForEach } from '../../use-resource.ts';

describe('a circuit', () => {
  const isOpen = (circuit: Circuit, now: number): boolean => {
    try {
      circuit.enter(now);
      return false;
    } catch {
      return true;
    }
  };

  const recordFailures = (circuit: Circuit, count: number, now = 0): void => {
    const entries = Array.from({ length: count }, () => [circuit.enter(now), {}] as const);
    for (const [entry, request] of entries) circuit.recordFailure(entry, request, now);
  };

  test('stays closed for failures of one request, or while other calls succeed', () => {
    const circuit = new Circuit();
    const request = {};
    for (let count = 0; count < 9; count += 1) circuit.recordFailure(circuit.enter(0), request, 0);
    const slowEntries = Array.from({ length: 9 }, () => circuit.enter(0));
    circuit.recordResponse();
    for (const entry of slowEntries) circuit.recordFailure(entry, {}, 0);
    expect(isOpen(circuit, 0)).toBe(false);
  });

  test('lets one call through every ten seconds, whatever its outcome', () => {
    const circuit = new Circuit();
    const entry = circuit.enter(0);
    recordFailures(circuit, 5);
    const enteredSeconds = Array.from({ length: 41 }, (_, second) => second).filter((second) => {
      const entersFirst = !isOpen(circuit, second * 1000);
      if (entersFirst) expect(isOpen(circuit, second * 1000)).toBe(true);
      // Calls that entered before fail meanwhile.
      circuit.recordFailure(entry, {}, second * 1000);
      return entersFirst;
    });
    expect(enteredSeconds).toEqual([10, 20, 30, 40]);
  });
});

describe('an unavailable service', () => {
  const service = useForEach(() => startService(reset));

  test('gets no further calls until a probe succeeds', async () => {
    const client = openClient(service.url);
    for (let count = 1; count <= 5; count += 1) {
      await expect(client.call(readCall)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      // Each call keeps its own retries.
      expect(service.received).toHaveLength(6 * count);
    }
    const receivedBefore = service.received.length;
    client.timer.advance(4000);
    await expect(client.call(writeCall)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'backendError',
      details: { retryAfter: 6 },
    });
    expect(service.received).toHaveLength(receivedBefore);
    expect(client.lines.at(-1)).toMatchObject({ details: { reason: 'circuitOpen' } });
    service.answers = [json(200, {})];
    client.timer.advance(6000);
    await client.call(readCall);
    await client.call(writeCall);
    expect(service.received).toHaveLength(receivedBefore + 2);
  });

  test('differs from a service that fails for one resource, however many calls read it', async () => {
    const readingClient = openClient(service.url);
    service.answers = [
      (response, request) => (request.url.endsWith('/e1') ? json(500, {}) : json(200, {}))(response, request),
    ];
    const request = {};
    await Promise.all(
      Array.from({ length: 8 }, () => readingClient.call(readCall, { request }).catch(() => undefined)),
    );
    expect(await readingClient.call({ ...readCall, path: ['e2'] })).toEqual({});
  });

  test('differs from a service that refuses calls or limits their rate', async () => {
    const writingClient = openClient(service.url);
    for (const status of [404, 429, 302]) {
      service.answers = [json(status, {}, { 'retry-after': '60' })];
      for (let count = 0; count < 6; count += 1) await writingClient.call(writeCall).catch(() => undefined);
    }
    expect(service.received).toHaveLength(18);
  });
});
