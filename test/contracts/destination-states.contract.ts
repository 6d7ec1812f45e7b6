import type { DestinationStateStore } from '../../src/outbox/outbox.store.ts';

/** Tests of every store of destination states. */
export function destinationStatesContract(
  name: string,
  makeStates: () => DestinationStateStore | Promise<DestinationStateStore>,
): void {
  describe(`${name} as a store of destination states`, () => {
    /** Store under test. Times are small numbers of milliseconds. */
    let states: DestinationStateStore;
    const readStates = async (...names: string[]) => Object.fromEntries(await states.read(names));
    beforeEach(async () => {
      states = await makeStates();
    });

    test('has no state of destinations that were never paused or turned off', async () => {
      await states.pause('hook a', 1000);
      expect(await readStates('hook b')).toEqual({});
      expect(await readStates()).toEqual({});
    });

    test('keeps the longest pause of each destination', async () => {
      for (const untilMs of [1000, 1_800_000_000_000.5, 2000]) await states.pause('hook a', untilMs);
      await states.pause('hook b', 3000);
      expect(await readStates('hook a', 'hook b')).toEqual({
        'hook a': { pausedUntil: 1_800_000_000_000.5, offSince: {}, onSince: 0 },
        'hook b': { pausedUntil: 3000, offSince: {}, onSince: 0 },
      });
    });

    test('keeps the time since which each version is off, beside the pause', async () => {
      await states.turnOff('hook a', 'first', 1000);
      await states.pause('hook a', 5000);
      await states.turnOff('hook a', '', 2000);
      await states.turnOff('hook a', 'first', 3000);
      expect(await readStates('hook a')).toEqual({
        'hook a': { pausedUntil: 5000, offSince: { first: 1000, '': 2000 }, onSince: 0 },
      });
    });

    test('loses no concurrent change', async () => {
      const versions = Array.from({ length: 20 }, (_, index) => `version ${index}`);
      await Promise.all(
        versions.flatMap((version, index) => [
          states.turnOff('hook a', version, index),
          states.pause('hook a', index),
          states.turnOn('hook a', index),
        ]),
      );
      expect(await readStates('hook a')).toEqual({
        'hook a': {
          pausedUntil: 19,
          offSince: Object.fromEntries(versions.map((version, index) => [version, index])),
          onSince: 19,
        },
      });
    });
  });
}
