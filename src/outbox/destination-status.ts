import type { Clock } from '../core/runtime/clock.ts';
import type { Destination } from './destination.ts';
import type { DestinationState, DestinationStateStore } from './outbox.store.ts';

export type DestinationStatus = ReturnType<typeof createDestinationStatus>;

/** Minimum time between two reads of the shared state. */
const minReadIntervalMs = 1000;

/**
 * Creates the status of destinations, shared by all gateways: changes made by others take effect within a second. Turning a destination
 * off applies to every running gateway; a gateway that starts with another version turns it on again and delivers its items.
 */
export function createDestinationStatus(
  destinations: readonly Pick<Destination<never>, 'name' | 'version'>[],
  clock: Clock,
) {
  const versionsByName = new Map(destinations.map(({ name, version = '' }) => [name, version]));
  const pausedUntilByName = new Map<string, number>();
  const offSinceByName = new Map<string, number>();
  /** Destinations that are off here, but on for gateways with another version. */
  const namesServedElsewhere = new Set<string>();
  const unsavedChanges = { pauses: new Set<string>(), turnOffs: new Set<string>() };
  /** Time of the last read (`performance.now()`); -Infinity before the first. */
  let lastReadAt = -Infinity;

  function extendPause(name: string, until: number): boolean {
    if (until <= (pausedUntilByName.get(name) ?? 0)) return false;
    pausedUntilByName.set(name, until);
    return true;
  }

  /** Marks a destination as off, and the change as to be stored. */
  function markOff(name: string, since: number): void {
    offSinceByName.set(name, since);
    namesServedElsewhere.delete(name);
    unsavedChanges.turnOffs.add(name);
  }

  async function saveAll(names: Set<string>, save: (name: string) => Promise<void>): Promise<void> {
    for (const name of names) {
      names.delete(name);
      await save(name).catch((error: unknown) => {
        names.add(name);
        throw error;
      });
    }
  }

  /** Applies the shared state. Returns true if the start of this gateway turns the destination on. */
  function applyState(name: string, state: DestinationState, isStart: boolean): boolean {
    const lastOffAt = Math.max(0, ...Object.values(state.offSince));
    const ownOffAt = state.offSince[versionsByName.get(name) as string];
    if (ownOffAt !== undefined) offSinceByName.set(name, ownOffAt);
    if (lastOffAt > state.onSince && ownOffAt === undefined) {
      if (isStart) return true;
      markOff(name, lastOffAt);
    }
    if (state.onSince > lastOffAt) namesServedElsewhere.add(name);
    else namesServedElsewhere.delete(name);
    return false;
  }

  return {
    /** Whether a destination may get deliveries: neither off nor paused. */
    isReady: (name: string): boolean =>
      !offSinceByName.has(name) && (pausedUntilByName.get(name) ?? 0) <= clock(),
    /** Whether the destination is off for all gateways, so that its items are dropped. */
    isOff: (name: string): boolean => offSinceByName.has(name) && !namesServedElsewhere.has(name),
    /** Destinations that are off for all gateways, and since when (epoch ms). */
    offDestinations: (): (readonly [name: string, since: number])[] =>
      [...offSinceByName].filter(([name]) => !namesServedElsewhere.has(name)),
    /** Pauses a destination until a time (epoch ms); never shortens an earlier pause. */
    pause: (name: string, until: number): void =>
      void (extendPause(name, until) && unsavedChanges.pauses.add(name)),
    /** Turns a destination off; false if it was off already. */
    turnOff(name: string): boolean {
      if (offSinceByName.has(name)) return false;
      markOff(name, clock());
      return true;
    },
    /** Stores the changes made here, and reads those of other gateways at most once a second. */
    async refresh(states: DestinationStateStore): Promise<void> {
      await saveAll(unsavedChanges.pauses, (name) =>
        states.pause(name, pausedUntilByName.get(name) as number),
      );
      await saveAll(unsavedChanges.turnOffs, (name) =>
        states.turnOff(name, versionsByName.get(name) as string, offSinceByName.get(name) as number),
      );
      const now = performance.now();
      if (now - lastReadAt < minReadIntervalMs) return;
      for (const [name, state] of await states.read([...versionsByName.keys()])) {
        extendPause(name, state.pausedUntil);
        if (applyState(name, state, lastReadAt === -Infinity))
          await states.turnOn(name, Math.max(clock(), 1 + Math.max(...Object.values(state.offSince))));
      }
      lastReadAt = now;
    },
  };
}
