import type {
  CalendarChange,
  CalendarJob,
  CalendarState,
  CalendarStore,
  CalendarTarget,
  StartedJob,
  WantedJob,
} from '../../calendar/calendar.store.ts';
import { type CalendarRecord, type CalendarRef, primaryAmong } from '../../calendar/calendar.ts';
import { deepFreeze } from '../../core/patch.ts';
import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import { createMadeCounts, createRequestRecords } from './request-records.ts';

interface Waiting extends StartedJob {
  dueAt: number;
  progress?: string;
}

/** Jobs that changes of calendars left, in the memory of this process. */
function createCalendarJobs(clock: Clock) {
  const waiting = new Map<string, Waiting>();
  const keyOf = ({ kind, calendarId }: CalendarJob): string => JSON.stringify([calendarId, kind]);

  return {
    add: (job: CalendarJob): void => void waiting.set(keyOf(job), { job, leftAt: clock(), dueAt: clock() }),

    claim(leaseMs: number, { calendarId, headStartMs = 0 }: WantedJob = {}): StartedJob | undefined {
      const now = clock();
      const isReady = ({ dueAt, leftAt, progress }: Waiting): boolean =>
        dueAt <= now && (progress !== undefined || dueAt > leftAt || leftAt <= now - headStartMs);
      const due = [...waiting.values()].filter(
        (one) => isReady(one) && (calendarId === undefined || one.job.calendarId === calendarId),
      );
      const [first] = due.sort((a, b) => a.dueAt - b.dueAt);
      if (!first) return undefined;
      first.dueAt = now + leaseMs;
      const { dueAt: _dueAt, ...started } = first;
      return started;
    },

    postpone(job: CalendarJob, progress: string | undefined, delayMs: number): void {
      const found = waiting.get(keyOf(job));
      if (found) Object.assign(found, { progress, dueAt: clock() + delayMs });
    },

    end: (job: CalendarJob): void => void waiting.delete(keyOf(job)),

    /** Ends the jobs of a calendar that was removed, or made again. */
    endAll(calendarId: string): void {
      for (const [key, { job }] of waiting) if (job.calendarId === calendarId) waiting.delete(key);
    },
  };
}

/** What events of the same memory do when a calendar changes. */
interface CalendarFollower {
  allDayEvents(calendarId: string, most: number): number;
  /** Works out, and yields to other requests meanwhile, what another zone makes of a calendar's days. */
  prepareZone(calendarId: string, zone: string): Promise<void>;
  /** Something of a calendar changed, perhaps the zone in which its days begin; after a deletion, of which nothing is left, it may come back. */
  follow(calendarId: string, change: { readonly zone?: string; readonly isReborn?: boolean }): void;
}

/** The calendars of this process: what the event store of the same process reads of them without waiting. */
export interface MemoryCalendarStore extends CalendarStore {
  find(ref: CalendarRef): CalendarRecord | undefined;
  /** Calls the event store from then on. */
  followedBy(follower: CalendarFollower): void;
}

interface MemoryCalendarStoreParts {
  readonly clock: Clock;
  readonly requestLimits?: RequestRecordLimits;
}

/** Calendars in the memory of this process. */
export function createMemoryCalendarStore({
  clock,
  requestLimits,
}: MemoryCalendarStoreParts): MemoryCalendarStore {
  const byId = new Map<string, CalendarRecord>();
  const removed = new Map<string, CalendarRecord>();
  /** The ids of calendars by the identities that own them or are on their access lists. */
  const accessible = new Map<string, Set<string>>();
  const primaries = new Map<string, CalendarRecord>();
  const requests = createRequestRecords(clock, requestLimits);
  const made = createMadeCounts();
  const jobs = createCalendarJobs(clock);
  let follower: CalendarFollower | undefined;

  function find(ref: CalendarRef): CalendarRecord | undefined {
    if ('id' in ref) return byId.get(ref.id);
    return 'primaryOf' in ref ? primaries.get(addressKey(ref.primaryOf)) : removed.get(ref.removedId);
  }

  const inOrder = (ids: Iterable<string>): CalendarRecord[] => [...ids].flatMap((id) => byId.get(id) ?? []);

  function index({ id, owner, acl }: CalendarRecord, isThere: boolean): void {
    for (const identity of new Set([owner, ...acl.map(({ email }) => email)].map(addressKey))) {
      const ids = accessible.get(identity) ?? new Set();
      if (isThere) accessible.set(identity, ids.add(id));
      else if (ids.delete(id) && ids.size === 0) accessible.delete(identity);
    }
  }

  const owned = (identity: string): CalendarRecord[] =>
    calendarsOf(identity).filter(({ owner }) => addressKey(owner) === identity);

  function replace(id: string, next: CalendarRecord | undefined): void {
    const before = byId.get(id);
    if (before) index(before, false);
    if (next) {
      byId.set(id, next);
      index(next, true);
    } else byId.delete(id);
    for (const owner of new Set([before, next].flatMap((one) => (one ? [addressKey(one.owner)] : [])))) {
      const primary = primaryAmong(owned(owner));
      if (primary) primaries.set(owner, primary);
      else primaries.delete(owner);
    }
  }

  /** In the order in which they were added. */
  function calendarsOf(identity: string): CalendarRecord[] {
    const ids = accessible.get(identity);
    return !ids ? [] : ids.size === 1 ? inOrder(ids) : [...byId.values()].filter(({ id }) => ids.has(id));
  }

  function stateOf({ calendar: ref, maker, countsDays, request }: CalendarTarget): CalendarState {
    const calendar = find(ref);
    return {
      calendar,
      wasRemoved: 'id' in ref && removed.has(ref.id),
      madeToday: made.of(maker),
      owned: maker ? owned(maker.identity).length : 0,
      allDayEvents:
        calendar && countsDays && countsDays.zone !== calendar.timeZone
          ? (follower?.allDayEvents(calendar.id, countsDays.to) ?? 0)
          : 0,
      earlier: request && requests.find(request),
    };
  }

  function store(
    { maker, request }: CalendarTarget,
    before: CalendarRecord | undefined,
    { next, removes, job, outcome }: CalendarChange<unknown>,
  ): void {
    if (next) {
      const isReborn = removed.delete(next.id);
      replace(next.id, deepFreeze(structuredClone(next)));
      if (!before) made.add(maker);
      if (isReborn) jobs.endAll(next.id);
      follower?.follow(next.id, {
        isReborn,
        ...(before && before.timeZone !== next.timeZone && { zone: next.timeZone }),
      });
    }
    if (removes && before) {
      replace(before.id, undefined);
      removed.set(before.id, before);
      jobs.endAll(before.id);
      follower?.follow(before.id, {});
    }
    if (job) jobs.add(job);
    if (outcome !== undefined) requests.add(request, outcome);
  }

  return {
    find,
    followedBy: (events) => void (follower = events),
    calendars: async (refs) => refs.map(find),
    calendarsOf: async (identity) => calendarsOf(identity),
    calendarsBehind: async (id, limit) =>
      inOrder(
        [...byId.keys()]
          .filter((one) => one > id)
          .sort()
          .slice(0, limit),
      ),

    async changeCalendar(target, decide) {
      const before = find(target.calendar);
      const zone = before && target.countsDays && decide(stateOf(target)).next?.timeZone;
      if (before && zone !== undefined && zone !== before.timeZone)
        await follower?.prepareZone(before.id, zone);
      // From here on nobody else changes anything.
      const state = stateOf(target);
      const change = decide(state);
      store(target, state.calendar, change);
      return change.result;
    },

    claimJob: async (leaseMs, wanted) => jobs.claim(leaseMs, wanted),
    continueJob: async (job, progress, delayMs) => jobs.postpone(job, progress, delayMs),
    endJob: async (job) => jobs.end(job),
  };
}
