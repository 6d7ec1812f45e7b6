import type { Clock } from '../core/runtime/clock.ts';
import type { Destination } from './destination.ts';
import type { DestinationState, DestinationStateStore } from './outbox.store.ts';

/** Destinations that may be served now. Changes made by other gateways are seen within a second. */
export interface DestinationStatus {
  isReady(name: string): boolean;
  /** Whether the destination is off for all gateways, so that its items are dropped. */
  isOff(name: string): boolean;
  /** Destinations that are off for all gateways, and since when (epoch ms). */
  offDestinations(): Iterable<readonly [name: string, since: number]>;
  /** Pauses a destination until a time (epoch ms); never shortens an earlier pause. */
  pause(name: string, until: number): void;
  /** Turns a destination off; false if it was off already. */
  turnOff(name: string): boolean;
  /** Stores the changes made here, and reads those of other gateways at most once a second. */
  refresh(states: DestinationStateStore): Promise<void>;
}

const minReadIntervalMs = 1000;

/** Turning off applies to every running gateway. One that starts with another version turns the destination on and delivers its items. */
export function createDestinationStatus(
  destinations: readonly Pick<Destination<never>, 'name' | 'version'>[],
  clock: Clock,
): DestinationStatus {
  const versionsByName = new Map(destinations.map(({ name, version = '' }) => [name, version]));
  const pausedUntil = new Map<string, number>();
  const offSince = new Map<string, number>();
  /** Destinations that are off here, but on for gateways with another version. */
  const servedElsewhere = new Set<string>();
  const unsavedChanges = { pauses: new Set<string>(), turnOffs: new Set<string>() };
  let lastReadAt = -Infinity;

  function extendPause(name: string, until: number): boolean {
    if (until <= (pausedUntil.get(name) ?? 0)) return false;
    pausedUntil.set(name, until);
    return true;
  }

  function markOff(name: string, since: number): void {
    offSince.set(name, since);
    servedElsewhere.delete(name);
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
    if (ownOffAt !== undefined) offSince.set(name, ownOffAt);
    if (lastOffAt > state.onSince && ownOffAt === undefined) {
      if (isStart) return true;
      markOff(name, lastOffAt);
    }
    if (state.onSince > lastOffAt) servedElsewhere.add(name);
    else servedElsewhere.delete(name);
    return false;
  }

  return {
    isReady: (name) => !offSince.has(name) && (pausedUntil.get(name) ?? 0) <= clock(),
    isOff: (name) => offSince.has(name) && !servedElsewhere.has(name),
    offDestinations: () => [...offSince].filter(([name]) => !servedElsewhere.has(name)),
    pause: (name, until) => void (extendPause(name, until) && unsavedChanges.pauses.add(name)),
    turnOff(name) {
      if (offSince.has(name)) return false;
      markOff(name, clock());
      return true;
    },
    async refresh(states) {
      await saveAll(unsavedChanges.pauses, (name) => states.pause(name, pausedUntil.get(name) as number));
      await saveAll(unsavedChanges.turnOffs, (name) =>
        states.turnOff(name, versionsByName.get(name) as string, offSince.get(name) as number),
      );
      const now = performance.now();
      if (now - lastReadAt < minReadIntervalMs) return;
      for (const [name, state] of await states.read([...versionsByName.keys()])) {
        extendPause(name, state.pausedUntil);
        if (applyState(name, state, lastReadAt === -Infinity))
          await states.turnOn(
            name,
            Math.max(clock(), ...Object.values(state.offSince).map((since) => since + 1)),
          );
      }
      lastReadAt = now;
    },
  };
}
