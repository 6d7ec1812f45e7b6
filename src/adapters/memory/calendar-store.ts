import { addressKey } from '../../core/text/email.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { RequestRecordLimits } from '../../core/kernel/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.ts';
import type { CalendarState, CalendarStore } from '../../calendar/calendar.store.ts';
import { createCalendarJobs } from './calendar-jobs.ts';
import { createMadeCounts } from './made.ts';
import { createRequestRecords } from './request-records.ts';

/** What events of the same memory do when a calendar changes. */
export interface CalendarFollower {
  allDayEvents(calendarId: string, most: number): number;
  /** Something of a calendar changed, perhaps the zone in which its days begin; after a deletion, of which nothing is left, it may come back. */
  follow(calendarId: string, change: { readonly zone?: string; readonly isReborn?: boolean }): void;
}

/** The calendars of this process: what the event store of the same process reads of them without waiting. */
export interface MemoryCalendarStore extends CalendarStore {
  find(ref: CalendarRef): CalendarRecord | undefined;
  /** Calls the event store from then on. */
  followedBy(follower: CalendarFollower): void;
}

export interface MemoryCalendarStoreParts {
  readonly clock: Clock;
  readonly requestLimits?: RequestRecordLimits;
}

/** Calendars in the memory of this process. */
export function createMemoryCalendarStore({ clock, requestLimits }: MemoryCalendarStoreParts): MemoryCalendarStore {
  const byId = new Map<string, CalendarRecord>();
  const removed = new Map<string, CalendarRecord>();
  /** The ids of calendars by the identities that own them or are on their access lists. */
  const accessible = new Map<string, Set<string>>();
  const primaries = new Map<string, CalendarRecord>();
  const requests = createRequestRecords<unknown>(clock, requestLimits);
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

  const owned = (identity: string): CalendarRecord[] => calendarsOf(identity).filter(({ owner }) => addressKey(owner) === identity);

  function replace(id: string, next: CalendarRecord | undefined): void {
    const before = byId.get(id);
    if (before) index(before, false);
    if (next) {
      byId.set(id, next);
      index(next, true);
    } else byId.delete(id);
    for (const owner of new Set([before, next].flatMap((one) => (one ? [addressKey(one.owner)] : [])))) {
      const primary = primaryOf(owned(owner), primaries.get(owner)?.id);
      if (primary) primaries.set(owner, primary);
      else primaries.delete(owner);
    }
  }

  /** In the order in which they were added. */
  function calendarsOf(identity: string): CalendarRecord[] {
    const ids = accessible.get(identity);
    return !ids ? [] : ids.size === 1 ? inOrder(ids) : [...byId.values()].filter(({ id }) => ids.has(id));
  }

  return {
    find,
    followedBy: (events) => void (follower = events),
    calendars: async (refs) => refs.map(find),
    calendarsOf: async (identity) => calendarsOf(identity),
    calendarsBehind: async (id, limit) => inOrder([...byId.keys()].filter((one) => one > id).sort().slice(0, limit)),

    async changeCalendar({ calendar: ref, maker, countsDaysTo, request }, decide) {
      const calendar = find(ref);
      const id = calendar?.id ?? ('id' in ref ? ref.id : '');
      const state: CalendarState = {
        calendar,
        wasRemoved: removed.has(id),
        madeToday: made.of('calendar', maker),
        owned: maker ? owned(maker.identity).length : 0,
        allDayEvents: calendar && countsDaysTo !== undefined ? (follower?.allDayEvents(id, countsDaysTo) ?? 0) : 0,
        earlier: requests.find(request),
      };
      const { next, removes, job, outcome, result } = decide(state);
      if (next) {
        const isReborn = removed.delete(next.id);
        replace(next.id, deepFreeze(structuredClone(next)));
        if (!calendar) made.add('calendar', maker);
        if (isReborn) jobs.endAll(next.id);
        follower?.follow(next.id, { isReborn, ...(calendar && calendar.timeZone !== next.timeZone && { zone: next.timeZone }) });
      }
      if (removes && calendar) {
        replace(id, undefined);
        removed.set(id, calendar);
        jobs.endAll(id);
        follower?.follow(id, {});
      }
      if (job) jobs.add(job);
      if (outcome !== undefined) requests.add(request, outcome);
      return result;
    },

    claimJob: async (leaseMs, calendarId) => jobs.claim(leaseMs, calendarId),
    continueJob: async (job, progress, delayMs) => jobs.postpone(job, progress, delayMs),
    endJob: async (job) => jobs.end(job),
  };
}

/** The primary calendar among those of an owner: that with the owner's address as its id, else the one it was, else the first that may be. */
function primaryOf(own: readonly CalendarRecord[], before: string | undefined): CalendarRecord | undefined {
  const eligible = own.filter(({ neverPrimary }) => !neverPrimary);
  return own.find(({ id, owner }) => addressKey(id) === addressKey(owner)) ?? eligible.find(({ id }) => id === before) ?? eligible[0];
}
