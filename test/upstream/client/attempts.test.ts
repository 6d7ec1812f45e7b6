import { attempted, realWaiting } from '../../../src/upstream/client/attempts.ts';
import { createCircuit } from '../../../src/upstream/client/circuit.ts';
import { CallFailure } from '../../../src/upstream/client/failure.ts';
import { manualWaiting, recorder } from './client.harness.ts';

/** Attempts of one request that each take their whole time. */
function hanging(repeatable: boolean) {
  const waiting = manualWaiting();
  const { figures, attempts } = recorder();
  const timeouts: number[] = [];
  const request = {};
  const run = (circuit = createCircuit()) =>
    attempted(
      {
        service: 'calendar',
        method: 'events.list',
        request,
        repeatable,
        send: async (timeout) => {
          timeouts.push(timeout);
          waiting.pass(timeout);
          throw new CallFailure('timeout');
        },
        judge: () => undefined,
      },
      { circuit, figures, waiting },
    );
  return { run, waiting, timeouts, attempts };
}

test('a service that hangs takes ten seconds of a request, pauses included', async () => {
  const { run, waiting, timeouts } = hanging(true);
  await expect(run()).rejects.toMatchObject({ reason: 'timeout' });
  expect(timeouts).toEqual([5000, 4700]);
  expect(waiting.now()).toBe(10_000);
});

test('what may be done once only is waited for longer, and no second time', async () => {
  const { run, timeouts } = hanging(false);
  await expect(run()).rejects.toMatchObject({ reason: 'timeout' });
  expect(timeouts).toEqual([10_000]);
});

test('once the time of a request is used up, its further calls are not made', async () => {
  const { run, timeouts, attempts } = hanging(false);
  await run().catch(() => undefined);
  await expect(run()).rejects.toMatchObject({ reason: 'timeUsedUp' });
  expect(timeouts).toHaveLength(1);
  expect(attempts).toHaveLength(1);
});

test('calls that fail side by side cost their time once', async () => {
  const waiting = manualWaiting();
  const { figures } = recorder();
  const request = {};
  const timeouts: number[] = [];
  const side = Array.from({ length: 4 }, () =>
    attempted(
      {
        service: 'calendar',
        method: 'events.list',
        request,
        repeatable: false,
        send: async (timeout) => {
          timeouts.push(timeout);
          await Promise.resolve();
          if (waiting.now() === 0) waiting.pass(4000);
          throw new CallFailure('timeout');
        },
        judge: () => undefined,
      },
      { circuit: createCircuit(), figures, waiting },
    ).catch(() => undefined),
  );
  await Promise.all(side);
  await attempted(
    {
      service: 'calendar',
      method: 'events.list',
      request,
      repeatable: false,
      send: async (timeout) => {
        timeouts.push(timeout);
        return { status: 200, text: '' };
      },
      judge: () => undefined,
    },
    { circuit: createCircuit(), figures, waiting },
  );
  expect(timeouts).toEqual([10_000, 10_000, 10_000, 10_000, 6000]);
});

test('faults of the gateway itself pass through', async () => {
  const { figures, attempts } = recorder();
  await expect(
    attempted(
      {
        service: 'calendar',
        method: 'x',
        request: {},
        repeatable: true,
        send: () => Promise.reject(new TypeError('no')),
        judge: () => undefined,
      },
      { circuit: createCircuit(), figures, waiting: manualWaiting() },
    ),
  ).rejects.toThrow(TypeError);
  expect(attempts).toEqual(['calendar x internalError']);
});

test('time passes by a clock that nobody sets, and pauses end with their signal', async () => {
  const before = realWaiting.now();
  await realWaiting.pause(1);
  expect(realWaiting.now()).toBeGreaterThan(before);
  await expect(realWaiting.pause(60_000, AbortSignal.abort())).rejects.toThrow();
  expect(realWaiting.chance()).toBeLessThan(1);
});
