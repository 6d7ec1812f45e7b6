import { Circuit } from '../../../src/upstream/client/attempts.ts';
import { clientOf, json, reading, reset, startService, writing } from './client.harness.ts';
import { useForEach } from '../../started.ts';

describe('a circuit', () => {
  const isOpen = (circuit: Circuit, now: number): boolean => {
    try {
      circuit.enter(now);
      return false;
    } catch {
      return true;
    }
  };

  const fail = (circuit: Circuit, count: number, now = 0): void => {
    const entries = Array.from({ length: count }, () => [circuit.enter(now), {}] as const);
    for (const [entry, request] of entries) circuit.failed(entry, request, now);
  };

  test('stays closed for calls of one request, and for those beside which others were answered', () => {
    const circuit = new Circuit();
    const request = {};
    for (let count = 0; count < 9; count += 1) circuit.failed(circuit.enter(0), request, 0);
    const slow = Array.from({ length: 9 }, () => circuit.enter(0));
    circuit.answered();
    for (const entry of slow) circuit.failed(entry, {}, 0);
    expect(isOpen(circuit, 0)).toBe(false);
  });

  test('lets one call through every ten seconds, whatever becomes of it', () => {
    const circuit = new Circuit();
    const entry = circuit.enter(0);
    fail(circuit, 5);
    const entered = Array.from({ length: 41 }, (_, second) => second).filter((second) => {
      const entersFirst = !isOpen(circuit, second * 1000);
      if (entersFirst) expect(isOpen(circuit, second * 1000)).toBe(true);
      // Calls that are still under way fail meanwhile.
      circuit.failed(entry, {}, second * 1000);
      return entersFirst;
    });
    expect(entered).toEqual([10, 20, 30, 40]);
  });
});

describe('a service that is away', () => {
  const service = useForEach(() => startService(reset));

  test('is not asked by further calls, until one finds it back', async () => {
    const open = clientOf(service.url);
    for (let count = 1; count <= 5; count += 1) {
      await expect(open.call(reading)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      // Each keeps its tries.
      expect(service.got).toHaveLength(6 * count);
    }
    const asked = service.got.length;
    open.waiting.pass(4000);
    await expect(open.call(writing)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'backendError',
      details: { retryAfter: 6 },
    });
    expect(service.got).toHaveLength(asked);
    expect(open.lines.at(-1)).toMatchObject({ details: { reason: 'circuitOpen' } });
    service.answers = [json(200, {})];
    open.waiting.pass(6000);
    await open.call(reading);
    await open.call(writing);
    expect(service.got).toHaveLength(asked + 2);
  });

  test('is known from one that fails at one thing, however often that is asked for at once', async () => {
    const open = clientOf(service.url);
    service.answers = [
      (response, got) => (got.url.endsWith('/e1') ? json(500, {}) : json(200, {}))(response, got),
    ];
    const request = {};
    await Promise.all(
      Array.from({ length: 8 }, () => open.call(reading, { request }).catch(() => undefined)),
    );
    expect(await open.call({ ...reading, path: ['e2'] })).toMatchObject({ status: 200 });
  });

  test('is known from one that refuses, or has no time', async () => {
    const open = clientOf(service.url);
    for (const status of [404, 429, 302]) {
      service.answers = [json(status, {}, { 'retry-after': '60' })];
      for (let count = 0; count < 6; count += 1) await open.call(writing).catch(() => undefined);
    }
    expect(service.got).toHaveLength(18);
  });
});
