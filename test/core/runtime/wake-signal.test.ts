import { createWakeSignal } from '../../../src/core/runtime/watch.ts';

const never = 3_600_000;

describe('a wake signal', () => {
  test('ends the pause of whoever waits', async () => {
    const signal = createWakeSignal();
    const pause = signal.wait(never);
    signal.wake();
    await pause;
  });

  test('that comes before the pause is not lost, and counts once', async () => {
    const signal = createWakeSignal();
    signal.wake();
    signal.wake();
    await signal.wait(never);
    let hasEnded = false;
    const pause = signal.wait(never).then(() => (hasEnded = true));
    // A wake that was counted twice would end the pause at once.
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    signal.wake();
    await pause;
  });

  test('is not needed for a pause to end', () => createWakeSignal().wait(1));
});
