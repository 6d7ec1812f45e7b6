import type { Clock } from '../core/runtime/clock.ts';
import type { Destination } from './destination.ts';
import type { DestinationState, DestinationStates } from './outbox.store.ts';

/** Which destinations may be served now: by what this gateway finds out at once, by what others do a second later. */
export interface DestinationStatus {
  /** Neither paused nor off. */
  isReady(name: string): boolean;
  /** Off for all gateways: what is for there is dropped. */
  isOff(name: string): boolean;
  /** The destinations that are off, and since when (epoch ms). */
  off(): Iterable<readonly [name: string, since: number]>;
  pause(name: string, until: number): void;
  /** Whether that is news. */
  turnOff(name: string): boolean;
  /** Tells the others what was found out here; what they have is read at most once a second. */
  refresh(states: DestinationStates): Promise<void>;
}

const readEveryMs = 1000;

/**
 * Standings of destinations, none of them paused or off as far as is known. One that is off is so for every gateway that runs, whatever
 * its version; for those with that version it stays so. A gateway that starts with another version serves it, and then the others leave
 * to it what waits.
 */
export function createStandings(
  destinations: readonly Pick<Destination<never>, 'name' | 'version'>[],
  clock: Clock,
): DestinationStatus {
  const versions = new Map(destinations.map(({ name, version = '' }) => [name, version]));
  const pausedUntil = new Map<string, number>();
  const offSince = new Map<string, number>();
  /** Those that are off here and served by a gateway with another version. */
  const leftToOthers = new Set<string>();
  /** What the others were not told yet. */
  const news = { pauses: new Set<string>(), offs: new Set<string>() };
  let readAt = -Infinity;

  function pause(name: string, until: number): boolean {
    if (until <= (pausedUntil.get(name) ?? 0)) return false;
    pausedUntil.set(name, until);
    return true;
  }

  function turnOff(name: string, since: number): void {
    offSince.set(name, since);
    leftToOthers.delete(name);
    news.offs.add(name);
  }

  async function tell(names: Set<string>, one: (name: string) => Promise<void>): Promise<void> {
    for (const name of names) {
      names.delete(name);
      await one(name).catch((error: unknown) => {
        names.add(name);
        throw error;
      });
    }
  }

  /** Learns since when a destination is off, and answers whether it is on again because this gateway starts. */
  function learnOff(name: string, state: DestinationState, isStart: boolean): boolean {
    const last = Math.max(0, ...Object.values(state.offSince));
    const own = state.offSince[versions.get(name) as string];
    if (own !== undefined) offSince.set(name, own);
    if (last > state.onSince && own === undefined) {
      if (isStart) return true;
      turnOff(name, last);
    }
    if (state.onSince > last) leftToOthers.add(name);
    else leftToOthers.delete(name);
    return false;
  }

  return {
    isReady: (name) => !offSince.has(name) && (pausedUntil.get(name) ?? 0) <= clock(),
    isOff: (name) => offSince.has(name) && !leftToOthers.has(name),
    off: () => [...offSince].filter(([name]) => !leftToOthers.has(name)),
    pause: (name, until) => void (pause(name, until) && news.pauses.add(name)),
    turnOff(name) {
      if (offSince.has(name)) return false;
      turnOff(name, clock());
      return true;
    },
    async refresh(states) {
      await tell(news.pauses, (name) => states.pause(name, pausedUntil.get(name) as number));
      await tell(news.offs, (name) =>
        states.turnOff(name, versions.get(name) as string, offSince.get(name) as number),
      );
      const now = performance.now();
      if (now - readAt < readEveryMs) return;
      const found = await states.read([...versions.keys()]);
      for (const [name, state] of found) {
        pause(name, state.pausedUntil);
        if (learnOff(name, state, readAt === -Infinity))
          await states.turnOn(
            name,
            Math.max(clock(), ...Object.values(state.offSince).map((since) => since + 1)),
          );
      }
      readAt = now;
    },
  };
}
