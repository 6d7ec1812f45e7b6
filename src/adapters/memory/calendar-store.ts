import {
  type CalendarDecision,
  type CalendarJob,
  type CalendarChangeState,
  type CalendarStore,
  type CalendarTarget,
  type StartedJob,
  type JobFilter,
  type CalendarRecord,
  type CalendarRef,
  findPrimary,
} from '../../calendar/calendar.store.ts';
import { deepFreeze } from '../../core/json.ts';
import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import { createDailyCreationCounter, createRequestRecords } from './request-records.ts';

interface PendingJob extends StartedJob {
  /** Epoch milliseconds from which the job may be claimed. A claim moves it to the end of its lease. */
  dueAt: number;
  progress?: string;
}

/** Background jobs of calendars, one of each kind per calendar. */
function createCalendarJobs(clock: Clock) {
  const pendingJobs = new Map<string, PendingJob>();
  const keyOf = ({ kind, calendarId }: CalendarJob): string => JSON.stringify([calendarId, kind]);

  return {
    add: (job: CalendarJob): void =>
      void pendingJobs.set(keyOf(job), { job, createdAt: clock(), dueAt: clock() }),

    claim(leaseMs: number, { calendarId, headStartMs = 0 }: JobFilter = {}): StartedJob | undefined {
      const now = clock();
      // A job that nobody has begun is left to the gateway that created it for `headStartMs`.
      const isReady = ({ dueAt, createdAt, progress }: PendingJob): boolean =>
        dueAt <= now && (progress !== undefined || dueAt > createdAt || createdAt <= now - headStartMs);
      const dueJobs = [...pendingJobs.values()].filter(
        (entry) => isReady(entry) && (calendarId === undefined || entry.job.calendarId === calendarId),
      );
      const [nextJob] = dueJobs.sort((a, b) => a.dueAt - b.dueAt);
      if (!nextJob) return undefined;
      nextJob.dueAt = now + leaseMs;
      const { dueAt: _dueAt, ...startedJob } = nextJob;
      return startedJob;
    },

    postpone(job: CalendarJob, progress: string | undefined, delayMs: number): void {
      const pendingJob = pendingJobs.get(keyOf(job));
      if (pendingJob) Object.assign(pendingJob, { progress, dueAt: clock() + delayMs });
    },

    end: (job: CalendarJob): void => void pendingJobs.delete(keyOf(job)),

    endAll(calendarId: string): void {
      for (const [key, { job }] of pendingJobs) if (job.calendarId === calendarId) pendingJobs.delete(key);
    },
  };
}

/** Callbacks by which the event store of the same process follows changes of calendars. */
interface CalendarFollower {
  countAllDayEvents(calendarId: string, maxEvents: number): number;
  prepareZone(calendarId: string, zone: string): Promise<void>;
  /** `zone`: the new time zone, if changed. `isRecreated`: the calendar had been deleted, and its old events must go. */
  onCalendarChanged(
    calendarId: string,
    change: { readonly zone?: string; readonly isRecreated?: boolean },
  ): void;
}

/** The calendar store with a synchronous look-up for the event store, which follows its changes. */
export interface MemoryCalendarStore extends CalendarStore {
  find(ref: CalendarRef): CalendarRecord | undefined;
  setFollower(follower: CalendarFollower): void;
}

/** Calendars in the memory of this process. */
export function createMemoryCalendarStore(
  clock: Clock,
  requestLimits?: RequestRecordLimits,
): MemoryCalendarStore {
  const calendarsById = new Map<string, CalendarRecord>();
  /**
   * Deleted calendars by id: their ids are not used again for primary calendars, and jobs still read them.
   */
  const removedCalendars = new Map<string, CalendarRecord>();
  /** Calendar ids by the identities that own them or are on their access lists. */
  const idsByIdentity = new Map<string, Set<string>>();
  const primaryByOwner = new Map<string, CalendarRecord>();
  const requests = createRequestRecords(clock, requestLimits);
  const creationCounts = createDailyCreationCounter();
  const jobs = createCalendarJobs(clock);
  let follower: CalendarFollower | undefined;

  function findCalendar(ref: CalendarRef): CalendarRecord | undefined {
    if ('id' in ref) return calendarsById.get(ref.id);
    return 'primaryOf' in ref
      ? primaryByOwner.get(addressKey(ref.primaryOf))
      : removedCalendars.get(ref.removedId);
  }

  const findExisting = (ids: Iterable<string>): CalendarRecord[] =>
    [...ids].flatMap((id) => calendarsById.get(id) ?? []);

  /** Adds a calendar to `idsByIdentity` (`isAdded`), or removes it. */
  function indexAccess({ id, owner, acl }: CalendarRecord, isAdded: boolean): void {
    for (const identity of new Set([owner, ...acl.map(({ email }) => email)].map(addressKey))) {
      const ids = idsByIdentity.get(identity) ?? new Set();
      if (isAdded) idsByIdentity.set(identity, ids.add(id));
      else if (ids.delete(id) && ids.size === 0) idsByIdentity.delete(identity);
    }
  }

  const calendarsOwnedBy = (identity: string): CalendarRecord[] =>
    calendarsOf(identity).filter(({ owner }) => addressKey(owner) === identity);

  /** Replaces, adds or (without `next`) removes a calendar, and updates access and primary calendars. */
  function replaceCalendar(id: string, next: CalendarRecord | undefined): void {
    const previousCalendar = calendarsById.get(id);
    if (previousCalendar) indexAccess(previousCalendar, /* isAdded */ false);
    if (next) {
      calendarsById.set(id, next);
      indexAccess(next, /* isAdded */ true);
    } else calendarsById.delete(id);
    for (const owner of new Set(
      [previousCalendar, next].flatMap((record) => (record ? [addressKey(record.owner)] : [])),
    )) {
      const primary = findPrimary(calendarsOwnedBy(owner));
      if (primary) primaryByOwner.set(owner, primary);
      else primaryByOwner.delete(owner);
    }
  }

  /** Returns the calendars in the order in which they were added. */
  function calendarsOf(identity: string): CalendarRecord[] {
    const ids = idsByIdentity.get(identity);
    return !ids
      ? []
      : ids.size === 1
        ? findExisting(ids)
        : [...calendarsById.values()].filter(({ id }) => ids.has(id));
  }

  function stateOf({
    calendar: ref,
    quotaKey,
    allDayCountRequest,
    request,
  }: CalendarTarget): CalendarChangeState {
    const calendar = findCalendar(ref);
    return {
      calendar,
      wasRemoved: 'id' in ref && removedCalendars.has(ref.id),
      createdToday: creationCounts.countFor(quotaKey),
      ownedCount: quotaKey ? calendarsOwnedBy(quotaKey.identity).length : 0,
      allDayEventCount:
        calendar && allDayCountRequest && allDayCountRequest.zone !== calendar.timeZone
          ? (follower?.countAllDayEvents(calendar.id, allDayCountRequest.limit) ?? 0)
          : 0,
      earlierRequest: request && requests.find(request),
    };
  }

  function applyChange(
    { quotaKey, request }: CalendarTarget,
    before: CalendarRecord | undefined,
    { next, removes, job, outcome }: CalendarDecision<unknown>,
  ): void {
    if (next) {
      const isRecreated = removedCalendars.delete(next.id);
      replaceCalendar(next.id, deepFreeze(structuredClone(next)));
      if (!before) creationCounts.add(quotaKey);
      if (isRecreated) jobs.endAll(next.id);
      follower?.onCalendarChanged(next.id, {
        isRecreated,
        ...(before && before.timeZone !== next.timeZone && { zone: next.timeZone }),
      });
    }
    if (removes && before) {
      replaceCalendar(before.id, undefined);
      removedCalendars.set(before.id, before);
      jobs.endAll(before.id);
      follower?.onCalendarChanged(before.id, {});
    }
    if (job) jobs.add(job);
    if (outcome !== undefined) requests.add(request, outcome);
  }

  return {
    find: findCalendar,
    setFollower: (newFollower) => void (follower = newFollower),
    calendars: async (refs) => refs.map(findCalendar),
    calendarsOf: async (identity) => calendarsOf(identity),
    calendarsAfter: async (id, limit) =>
      findExisting(
        [...calendarsById.keys()]
          .filter((calendarId) => calendarId > id)
          .sort()
          .slice(0, limit),
      ),

    async changeCalendar(target, decide) {
      const currentCalendar = findCalendar(target.calendar);
      // Decides once in advance, because the spans for a new zone are computed with pauses.
      const newZone = currentCalendar && target.allDayCountRequest && decide(stateOf(target)).next?.timeZone;
      if (currentCalendar && newZone !== undefined && newZone !== currentCalendar.timeZone)
        await follower?.prepareZone(currentCalendar.id, newZone);
      // No await from here on: nothing can change between the decision and its storage.
      const state = stateOf(target);
      const change = decide(state);
      applyChange(target, state.calendar, change);
      return change.result;
    },

    claimJob: async (leaseMs, filter) => jobs.claim(leaseMs, filter),
    continueJob: async (job, progress, delayMs) => jobs.postpone(job, progress, delayMs),
    endJob: async (job) => jobs.end(job),
  };
}
