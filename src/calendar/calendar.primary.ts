import { LRUCache } from 'lru-cache';
import type { Viewer } from '../access/permissions.ts';
import { isEmail } from '../core/text/email.ts';
import type { CalendarStore } from './calendar.store.ts';
import type { CalendarWrites } from './calendar.writes.ts';

/** Makes a caller's primary calendar where there is none yet; undefined where nothing has to be waited for. */
export type EnsurePrimary = (viewer: Viewer) => Promise<void> | undefined;

interface PrimaryDependencies {
  readonly store: CalendarStore;
  readonly writes: Pick<CalendarWrites, 'makePrimary'>;
  /** Begins with what a change has left to be done with events. */
  readonly beginJob: (calendarId: string) => Promise<void>;
  /** Whether callers get a calendar at all. */
  readonly isOn: boolean;
}

/** At most 100,000 callers are remembered, for 60 s each. With `max` in place of sizes 4 MB would be allocated at the start. */
const settledOptions = { maxSize: 100_000, sizeCalculation: () => 1, ttl: 60_000 };

/** Whoever signs in with an address has a calendar (once, however many requests come at the same time). */
export function createEnsurePrimary({ store, writes, beginJob, isOn }: PrimaryDependencies): EnsurePrimary {
  const settled = new LRUCache<string, true>(settledOptions);
  const running = new Map<string, Promise<void>>();

  async function ensure(identity: string): Promise<void> {
    const [found] = await store.calendars([{ primaryOf: identity }]);
    const target = { calendar: { id: identity } };
    if (!found && (await store.changeCalendar(target, (state) => writes.makePrimary(identity, state))))
      await beginJob(identity);
    settled.set(identity, true);
  }

  return ({ identity }) => {
    if (!isOn || settled.has(identity) || !isEmail(identity)) return undefined;
    const before = running.get(identity);
    if (before) return before;
    const made = ensure(identity).finally(() => running.delete(identity));
    running.set(identity, made);
    return made;
  };
}
