import { createWakeSignal } from '../../../src/core/runtime/streams.ts';

const neverMs = 3_600_000;

describe('a wake signal', () => {
  test('ends a wait', async () => {
    const signal = createWakeSignal();
    const pause = signal.wait(neverMs);
    signal.wake();
    await pause;
  });

  test('before a wait is not lost, and counts once', async () => {
    const signal = createWakeSignal();
    signal.wake();
    signal.wake();
    await signal.wait(neverMs);
    let hasEnded = false;
    const pause = signal.wait(neverMs).then(() => (hasEnded = true));
    // A second count would end this wait at once.
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    signal.wake();
    await pause;
  });

  test('is not needed for a wait to time out', () => createWakeSignal().wait(1));
});
