import { createCircuit } from '../../../src/upstream/client/circuit.ts';
import { clientOf, reading, writing } from './client.harness.ts';
import { json, reset, startService, type FakeService } from './service.ts';

describe('a circuit', () => {
  const isOpen = (circuit: ReturnType<typeof createCircuit>, now: number): boolean => {
    try {
      circuit.enter(now);
      return false;
    } catch {
      return true;
    }
  };

  test('opens after five failures in a row, and no sooner', () => {
    const circuit = createCircuit();
    for (const away of [true, true, true, true, false, true, true, true, true]) circuit.settle(away, 0);
    expect(isOpen(circuit, 0)).toBe(false);
    circuit.settle(true, 0);
    expect(isOpen(circuit, 0)).toBe(true);
    circuit.settle(false, 0);
    expect(isOpen(circuit, 0)).toBe(false);
  });

  test('lets one call through every ten seconds, whatever becomes of it', () => {
    const circuit = createCircuit();
    for (let count = 0; count < 5; count += 1) circuit.settle(true, 0);
    const entered = Array.from({ length: 41 }, (_, second) => second).filter((second) => {
      const entersFirst = !isOpen(circuit, second * 1000);
      if (entersFirst) expect(isOpen(circuit, second * 1000)).toBe(true);
      // Calls that are still under way fail meanwhile.
      circuit.settle(true, second * 1000);
      return entersFirst;
    });
    expect(entered).toEqual([10, 20, 30, 40]);
  });
});

describe('a service that is away', () => {
  let service: FakeService;
  beforeEach(async () => {
    service = await startService(reset);
  });
  afterEach(() => service.stop());

  test('is not asked by further calls, until one finds it back', async () => {
    const open = clientOf(service.url);
    await expect(open.call(reading)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const asked = service.got.length;
    expect(asked).toBe(6);
    // The last two attempts were 4.8 s apart, and the fifth had opened it.
    await expect(open.call(writing)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'backendError', details: { retryAfter: 6 } });
    expect(service.got).toHaveLength(asked);
    expect(open.lines.at(-1)).toMatchObject({ details: { reason: 'circuitOpen' } });
    service.answers = [json(200, {})];
    open.waiting.pass(6000);
    await open.call(reading);
    await open.call(writing);
    expect(service.got).toHaveLength(asked + 2);
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
