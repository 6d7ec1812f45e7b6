import { callWithRetries, Circuit, systemTimer } from '../../../src/upstream/client/attempts.ts';
import { CallFailure, type RawResponse } from '../../../src/upstream/client/responses.ts';
import { createManualTimer, createRecorder } from './client.harness.ts';

/** Runs calls of one request; by default each attempt lasts until its timeout. */
function startRequest() {
  const timer = createManualTimer();
  const { metrics, attempts } = createRecorder();
  const timeouts: number[] = [];
  const request = {};
  const hangUntilTimeout = (timeoutMs: number): Promise<RawResponse> => {
    timer.advance(timeoutMs);
    return Promise.reject(new CallFailure('timeout'));
  };
  const run = (isRepeatable: boolean, send: (timeoutMs: number) => Promise<RawResponse> = hangUntilTimeout) =>
    callWithRetries(
      {
        service: 'calendar',
        apiMethod: 'events.list',
        request,
        repeatable: isRepeatable,
        send(timeoutMs) {
          timeouts.push(timeoutMs);
          return send(timeoutMs);
        },
        classify: () => undefined,
      },
      { circuit: new Circuit(), metrics, timer },
    );
  return { run, timer, timeouts, attempts };
}

test('a hanging service delays a request by ten seconds, pauses included', async () => {
  const { run, timer, timeouts } = startRequest();
  await expect(run(true)).rejects.toMatchObject({ reason: 'timeout' });
  expect(timeouts).toEqual([5000, 4700]);
  expect(timer.now()).toBe(10_000);
});

test('a call that is not repeatable has one attempt of ten seconds, then the request has no time left', async () => {
  const { run, timeouts, attempts } = startRequest();
  await expect(run(false)).rejects.toMatchObject({ reason: 'timeout' });
  await expect(run(false)).rejects.toMatchObject({ reason: 'timeUsedUp' });
  expect([timeouts, attempts.length]).toEqual([[10_000], 1]);
});

test("concurrent failing calls spend the request's time once", async () => {
  const { run, timer, timeouts } = startRequest();
  const failAfterFourSeconds = async (): Promise<RawResponse> => {
    await Promise.resolve();
    if (timer.now() === 0) timer.advance(4000);
    throw new CallFailure('timeout');
  };
  await Promise.allSettled(Array.from({ length: 4 }, () => run(false, failAfterFourSeconds)));
  await run(false, async () => ({ status: 200, text: '' }));
  expect(timeouts).toEqual([10_000, 10_000, 10_000, 10_000, 6000]);
});

test('errors of the gateway itself pass through', async () => {
  const { run, attempts } = startRequest();
  await expect(run(true, () => Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
  expect(attempts).toEqual(['calendar events.list internalError']);
});

test('systemTimer uses a monotonic clock', async () => {
  const timeBefore = systemTimer.now();
  await systemTimer.pause(1);
  expect(systemTimer.now()).toBeGreaterThan(timeBefore);
  expect(systemTimer.random()).toBeLessThan(1);
});
