import { LRUCache } from 'lru-cache';
import type { Viewer, ViewerOperation } from '../access/permissions.ts';
import { isEmail } from '../core/text/email.ts';
import type {
  AccessEntry,
  CalendarChangeState,
  CalendarDecision,
  CalendarRecord,
  CalendarStore,
  CalendarTarget,
  ReadCalendar,
} from './calendar.store.ts';
import {
  type CalendarWrites,
  createCalendarWrites,
  type CalendarWriteDependencies,
  type CalendarWriteResult,
} from './calendar.writes.ts';
import { AppError } from '../core/errors.ts';
import type { GetSelection } from '../core/fields/table.ts';
import { createDailyQuotaKey } from '../core/quota.ts';
import { createRequestRecord } from '../core/request-record.ts';
import type { RequestKey } from '../core/runtime/request-loader.ts';
import {
  listAccessEntries,
  resolveCalendarRef,
  openCalendar,
  nonOwnerIssues,
  requireAllowed,
  decideAccess,
} from './calendar.access.ts';
import { createFeedSeed } from './calendar.feed.ts';
import {
  type DeleteCalendarArgs,
  type GetCalendarArgs,
  type InsertCalendarArgs,
  type PatchCalendarArgs,
  type SetCalendarAccessArgs,
  limits,
} from './calendar.fields.ts';
import { calendarViewOf, calendarViewsOf, type CalendarView } from './calendar.view.ts';

/** Creates a caller's primary calendar if it is missing. Returns undefined if there is nothing to wait for. */
export type EnsurePrimary = (viewer: Viewer) => Promise<void> | undefined;

/** Cache of callers known to have a calendar. Uses sizes because `max` would allocate 4 MB at the start. */
const ensuredCacheOptions = { maxSize: 100_000, sizeCalculation: () => 1, ttl: 60_000 };

/** Creates one calendar per caller with an e-mail address, even under concurrent requests. */
function createEnsurePrimary(
  { store, beginJob, createsPrimaries }: CalendarServiceDependencies,
  writes: CalendarWrites,
): EnsurePrimary {
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
    if (!createsPrimaries || ensuredIdentities.has(identity) || !isEmail(identity)) return undefined;
    const pendingCreation = creationsByIdentity.get(identity);
    if (pendingCreation) return pendingCreation;
    const newCreation = ensurePrimaryOf(identity).finally(() => creationsByIdentity.delete(identity));
    creationsByIdentity.set(identity, newCreation);
    return newCreation;
  };
}

export interface CalendarService {
  readonly ensurePrimary: EnsurePrimary;
  /** Lists visible calendars: the primary one, then the viewer's own, then the others. */
  listCalendars(
    viewer: Viewer,
    request: RequestKey,
    selected?: GetSelection,
  ): Promise<readonly CalendarView[]>;
  readonly getCalendar: ViewerOperation<GetCalendarArgs, CalendarView>;
  readonly insertCalendar: (viewer: Viewer, args: InsertCalendarArgs) => Promise<CalendarWriteResult>;
  readonly patchCalendar: (viewer: Viewer, args: PatchCalendarArgs) => Promise<CalendarWriteResult>;
  /** Gives a calendar a new feed URL; the old one no longer works. */
  readonly resetFeed: (viewer: Viewer, args: GetCalendarArgs) => Promise<CalendarWriteResult>;
  /** Deletes a calendar and cancels its events; a background job continues after the response. */
  readonly deleteCalendar: (viewer: Viewer, args: DeleteCalendarArgs) => Promise<boolean>;
  readonly listAccess: (
    viewer: Viewer,
    args: GetCalendarArgs,
    request: RequestKey,
  ) => Promise<readonly AccessEntry[]>;
  /** Returns the new access list; null for a caller who lost access. */
  readonly setAccess: (viewer: Viewer, args: SetCalendarAccessArgs) => Promise<readonly AccessEntry[] | null>;
}

interface CalendarServiceDependencies extends CalendarWriteDependencies {
  readonly store: CalendarStore;
  readonly readCalendar: ReadCalendar;
  /** True: callers with an e-mail address get a primary calendar. */
  readonly createsPrimaries: boolean;
  /** Begins the calendar's background job at once, ahead of the other gateways. */
  readonly beginJob: (calendarId: string) => Promise<void>;
}

/** Reads and changes calendars on behalf of a viewer. Throws AppError with all issues at once. */
export function createCalendarService(dependencies: CalendarServiceDependencies): CalendarService {
  const { store, readCalendar, beginJob, clock, feedUrlOf } = dependencies;
  const writes = createCalendarWrites(dependencies);
  const ensurePrimary = createEnsurePrimary(dependencies, writes);
  const primaryIdOf = async ({ identity }: Viewer): Promise<string | undefined> =>
    (await store.calendars([{ primaryOf: identity }]))[0]?.id;
  /** Changes a calendar that the viewer sees. */
  function changeCalendar<T>(
    viewer: Viewer,
    { calendarId }: GetCalendarArgs,
    decide: (calendar: CalendarRecord, state: CalendarChangeState) => CalendarDecision<T>,
    target?: Pick<CalendarTarget, 'allDayCountRequest'>,
  ): Promise<T> {
    const ref = resolveCalendarRef(calendarId, viewer);
    return store.changeCalendar({ calendar: ref, ...target }, (state) =>
      decide(openCalendar(state.calendar, ref, viewer, 'freeBusyReader').calendar, state),
    );
  }

  return {
    ensurePrimary,

    async listCalendars(viewer) {
      await ensurePrimary(viewer);
      return calendarViewsOf(await store.calendarsOf(viewer.identity), viewer, feedUrlOf);
    },

    async getCalendar(viewer, args, request) {
      const ref = resolveCalendarRef(args.calendarId, viewer);
      const { calendar } = openCalendar(await readCalendar(request, ref), ref, viewer, 'freeBusyReader');
      const primary = await readCalendar(request, { primaryOf: viewer.identity });
      return calendarViewOf(calendar, viewer, primary?.id, feedUrlOf) as CalendarView;
    },

    async insertCalendar(viewer, args) {
      const request = createRequestRecord('insertCalendar', viewer, args, clock);
      const id = writes.createId();
      const quotaKey = createDailyQuotaKey(viewer, clock());
      return store.changeCalendar({ calendar: { id }, quotaKey, request }, (state) =>
        writes.insert(viewer, args, request, id, state),
      );
    },

    async patchCalendar(viewer, args) {
      const primaryId = await primaryIdOf(viewer);
      const { timeZone: zone } = args.calendar;
      return changeCalendar(
        viewer,
        args,
        (calendar, { allDayEventCount }) => writes.patch(viewer, calendar, args, primaryId, allDayEventCount),
        typeof zone === 'string'
          ? { allDayCountRequest: { limit: limits.maxMovedAllDayEvents + 1, zone } }
          : undefined,
      );
    },

    async resetFeed(viewer, args) {
      if (!feedUrlOf) throw feedsNotOfferedError();
      const primaryId = await primaryIdOf(viewer);
      const feedSeed = createFeedSeed();
      return changeCalendar(viewer, args, (calendar) =>
        writes.resetFeed(viewer, calendar, feedSeed, primaryId),
      );
    },

    async deleteCalendar(viewer, args) {
      const primaryId = await primaryIdOf(viewer);
      const calendarId = await changeCalendar(viewer, args, (calendar) =>
        writes.remove(viewer, calendar, args, primaryId),
      );
      await beginJob(calendarId);
      return true;
    },

    async listAccess(viewer, args, request) {
      const ref = resolveCalendarRef(args.calendarId, viewer);
      const { calendar } = openCalendar(await readCalendar(request, ref), ref, viewer, 'freeBusyReader');
      requireAllowed(nonOwnerIssues(calendar, viewer));
      return listAccessEntries(calendar);
    },

    setAccess: (viewer, args) =>
      changeCalendar(viewer, args, (calendar) => decideAccess(viewer, calendar, args)),
  };
}

const feedsNotOfferedError = (): AppError =>
  new AppError('FORBIDDEN', 'notOffered', 'This gateway serves no iCalendar feeds: CALENDAR_FEEDS is off.');
