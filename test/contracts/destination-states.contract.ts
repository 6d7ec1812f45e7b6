import type { DestinationStates } from '../../src/outbox/outbox.store.ts';

/** What every store of the states of destinations promises. */
export function destinationStatesContract(
  name: string,
  makeStates: () => DestinationStates | Promise<DestinationStates>,
): void {
  describe(`${name} as a store of states of destinations`, () => {
    let states: DestinationStates;
    const read = async (...names: string[]) => Object.fromEntries(await states.read(names));
    beforeEach(async () => {
      states = await makeStates();
    });

    test('knows nothing of those that were never paused or turned off', async () => {
      await states.pause('hook a', 1000);
      expect(await read('hook b')).toEqual({});
      expect(await read()).toEqual({});
    });

    test('keeps the longest pause of each', async () => {
      for (const until of [1000, 1_800_000_000_000.5, 2000]) await states.pause('hook a', until);
      await states.pause('hook b', 3000);
      expect(await read('hook a', 'hook b')).toEqual({
        'hook a': { pausedUntil: 1_800_000_000_000.5, offSince: {}, onSince: 0 },
        'hook b': { pausedUntil: 3000, offSince: {}, onSince: 0 },
      });
    });

    test('keeps since when each version is off, beside the pause', async () => {
      await states.turnOff('hook a', 'first', 1000);
      await states.pause('hook a', 5000);
      await states.turnOff('hook a', '', 2000);
      await states.turnOff('hook a', 'first', 3000);
      expect(await read('hook a')).toEqual({
        'hook a': { pausedUntil: 5000, offSince: { first: 1000, '': 2000 }, onSince: 0 },
      });
    });

    test('loses nothing of what comes at once', async () => {
      const versions = Array.from({ length: 20 }, (_, index) => `version ${index}`);
      await Promise.all(
        versions.flatMap((version, index) => [
          states.turnOff('hook a', version, index),
          states.pause('hook a', index),
          states.turnOn('hook a', index),
        ]),
      );
      expect(await read('hook a')).toEqual({
        'hook a': {
          pausedUntil: 19,
          offSince: Object.fromEntries(versions.map((version, index) => [version, index])),
          onSince: 19,
        },
      });
    });
  });
}
