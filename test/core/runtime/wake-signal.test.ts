import { createWakeSignal } from '../../../src/core/runtime/streams.ts';

/** Longer than a test may take. */
const neverMs = 3_600_000;

describe('a wake signal', () => {
  test('ends a wait', async () => {
    const wakeSignal = createWakeSignal();
    const pause = wakeSignal.wait(neverMs);
    wakeSignal.wake();
    await pause;
  });

  test('before a wait is not lost, and counts once', async () => {
    const wakeSignal = createWakeSignal();
    wakeSignal.wake();
    wakeSignal.wake();
    await wakeSignal.wait(neverMs);
    let hasEnded = false;
    const pause = wakeSignal.wait(neverMs).then(() => (hasEnded = true));
    // A second count would end this wait at once.
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    wakeSignal.wake();
    await pause;
  });

  test('is not needed for a wait to time out', () => createWakeSignal().wait(1));
});
