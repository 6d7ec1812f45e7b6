import type { DestinationState, DestinationStates } from '../../outbox/states.store.ts';

/** The states of destinations in the memory of this process. */
export function createMemoryDestinationStates(): DestinationStates {
  const states = new Map<string, DestinationState>();
  const change = (name: string, next: (state: DestinationState) => Partial<DestinationState>): void => {
    const state = states.get(name) ?? { pausedUntil: 0, offSince: {}, onSince: 0 };
    states.set(name, { ...state, ...next(state) });
  };
  return {
    read: async (names) =>
      new Map(
        names.flatMap((name) => [states.get(name) ?? []].flat().map((state) => [name, state] as const)),
      ),
    pause: async (name, until) =>
      change(name, ({ pausedUntil }) => ({ pausedUntil: Math.max(pausedUntil, until) })),
    turnOff: async (name, version, since) =>
      change(name, ({ offSince }) => ({ offSince: { [version]: since, ...offSince } })),
    turnOn: async (name, since) => change(name, ({ onSince }) => ({ onSince: Math.max(onSince, since) })),
  };
}
