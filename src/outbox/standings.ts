import type { Clock } from '../core/runtime/clock.ts';
import type { Destination } from './destination.ts';
import type { DestinationStates } from './states.store.ts';

/** Which destinations may be served now: by what this gateway finds out at once, by what others do a second later. */
export interface Standings {
  /** Neither paused nor off. */
  isReady(name: string): boolean;
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

/** Standings of destinations, none of them paused or off as far as is known. */
export function createStandings(destinations: readonly Pick<Destination<never>, 'name' | 'version'>[], clock: Clock): Standings {
  const versions = new Map(destinations.map(({ name, version = '' }) => [name, version]));
  const pausedUntil = new Map<string, number>();
  const offSince = new Map<string, number>();
  /** What the others were not told yet. */
  const news = { pauses: new Set<string>(), offs: new Set<string>() };
  let readAt = -Infinity;

  function pause(name: string, until: number): boolean {
    if (until <= (pausedUntil.get(name) ?? 0)) return false;
    pausedUntil.set(name, until);
    return true;
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

  return {
    isReady: (name) => !offSince.has(name) && (pausedUntil.get(name) ?? 0) <= clock(),
    isOff: (name) => offSince.has(name),
    off: () => offSince,
    pause: (name, until) => void (pause(name, until) && news.pauses.add(name)),
    turnOff(name) {
      if (offSince.has(name)) return false;
      offSince.set(name, clock());
      news.offs.add(name);
      return true;
    },
    async refresh(states) {
      await tell(news.pauses, (name) => states.pause(name, pausedUntil.get(name) as number));
      await tell(news.offs, (name) => states.turnOff(name, versions.get(name) as string, offSince.get(name) as number));
      const now = performance.now();
      if (now - readAt < readEveryMs) return;
      readAt = now;
      for (const [name, state] of await states.read([...versions.keys()])) {
        pause(name, state.pausedUntil);
        const since = state.offSince[versions.get(name) as string];
        if (since !== undefined) offSince.set(name, since);
      }
    },
  };
}
