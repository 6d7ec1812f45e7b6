import type { DestinationState, DestinationStates } from '../../outbox/states.store.ts';

/** The states of destinations in the memory of this process. */
export function createMemoryDestinationStates(): DestinationStates {
  const states = new Map<string, DestinationState>();
  const stateOf = (name: string): DestinationState => states.get(name) ?? { pausedUntil: 0, offSince: {} };
  return {
    read: async (names) => new Map(names.flatMap((name) => (states.has(name) ? [[name, stateOf(name)] as const] : []))),
    async pause(name, until) {
      const state = stateOf(name);
      states.set(name, { ...state, pausedUntil: Math.max(state.pausedUntil, until) });
    },
    async turnOff(name, version, since) {
      const state = stateOf(name);
      states.set(name, { ...state, offSince: { [version]: since, ...state.offSince } });
    },
  };
}
