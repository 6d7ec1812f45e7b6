import { LRUCache } from 'lru-cache';
import type { Viewer } from '../access/permissions.ts';
import { isEmail } from '../core/text/email.ts';
import type { CalendarStore } from './calendar.store.ts';
import type { CalendarWrites } from './calendar.writes.ts';

/** Creates a caller's primary calendar if it is missing. Returns undefined if there is nothing to wait for. */
export type EnsurePrimary = (viewer: Viewer) => Promise<void> | undefined;

interface PrimaryDependencies {
  readonly store: CalendarStore;
  readonly writes: Pick<CalendarWrites, 'createPrimary'>;
  /** Starts the background job of the new calendar. */
  readonly beginJob: (calendarId: string) => Promise<void>;
  /** False: callers get no primary calendars. */
  readonly isEnabled: boolean;
}

/** Cache of callers known to have a calendar. Uses sizes because `max` would allocate 4 MB at the start. */
const ensuredCacheOptions = { maxSize: 100_000, sizeCalculation: () => 1, ttl: 60_000 };

/** Creates one calendar per caller with an e-mail address, even under concurrent requests. */
export function createEnsurePrimary({
  store,
  writes,
  beginJob,
  isEnabled,
}: PrimaryDependencies): EnsurePrimary {
  const ensuredIdentities = new LRUCache<string, true>(ensuredCacheOptions);
  const creationsByIdentity = new Map<string, Promise<void>>();

  async function ensurePrimaryOf(identity: string): Promise<void> {
    const [primary] = await store.calendars([{ primaryOf: identity }]);
    const target = { calendar: { id: identity } };
    if (!primary && (await store.changeCalendar(target, (state) => writes.createPrimary(identity, state))))
      await beginJob(identity);
    ensuredIdentities.set(identity, true);
  }

  return ({ identity }) => {
    if (!isEnabled || ensuredIdentities.has(identity) || !isEmail(identity)) return undefined;
    const pendingCreation = creationsByIdentity.get(identity);
    if (pendingCreation) return pendingCreation;
    const newCreation = ensurePrimaryOf(identity).finally(() => creationsByIdentity.delete(identity));
    creationsByIdentity.set(identity, newCreation);
    return newCreation;
  };
}
