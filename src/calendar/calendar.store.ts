import type { AccessRole } from '../access/permissions.ts';
import { addressKey } from '../core/text/email.ts';
import type { CreationQuotaKey } from '../core/quota.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import { createLoader, type RequestKey } from '../core/runtime/request-loader.ts';

export interface AccessEntry {
  readonly email: string;
  readonly role: AccessRole;
}

/** Settings of a calendar that its owners can change. */
export interface CalendarSettings {
  readonly summary?: string;
  readonly description?: string;
  readonly location?: string;
  /** IANA name. Applies to times without an offset and to all-day events. */
  readonly timeZone: string;
  /** `#rrggbb`, in lower case. */
  readonly backgroundColor?: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
}

/** A calendar as it is stored. Immutable. */
export interface CalendarRecord extends CalendarSettings {
  readonly id: string;
  /** E-mail address of the creator, who is the organizer of its events. */
  readonly owner: string;
  readonly acl: readonly AccessEntry[];
  /** RFC 3339, UTC; absent if unknown. */
  readonly created?: string;
  readonly updated?: string;
  /** Number of changes of the settings; absent: 0. */
  readonly version?: number;
  /** True for a secondary calendar, which the owner created explicitly. */
  readonly neverPrimary?: true;
  /** Random value from which the URL of the calendar's iCalendar feed is derived; absent: there is no feed. */
  readonly feedSeed?: string;
}

/** Refers to a calendar by id, an owner's primary one (ignoring ASCII case), or a deleted one that still has data. */
export type CalendarRef =
  { readonly id: string } | { readonly primaryOf: string } | { readonly removedId: string };

/** Finds an owner's primary calendar: the one whose id is the owner's address, or the oldest eligible one. */
export const findPrimary = (ownedCalendars: readonly CalendarRecord[]): CalendarRecord | undefined =>
  ownedCalendars.find(({ id, owner }) => addressKey(id) === addressKey(owner)) ??
  ownedCalendars.find(({ neverPrimary }) => !neverPrimary);

/** State to load for a change of a calendar. `calendar` may be the id of a new one. */
export interface CalendarTarget {
  readonly calendar: CalendarRef;
  readonly quotaKey?: CreationQuotaKey;
  /** Counts all-day events, up to `limit`, if the calendar's time zone differs from `zone`. */
  readonly allDayCountRequest?: { readonly limit: number; readonly zone: string };
  readonly request?: RequestRecord;
}

/** Consistent snapshot that a change is decided on. */
export interface CalendarChangeState {
  readonly calendar: CalendarRecord | undefined;
  /** True if a deleted calendar had this id. */
  readonly wasRemoved: boolean;
  /** Calendars that the creator made on that day, including deleted ones. */
  readonly createdToday: number;
  /** Calendars that the creator owns. */
  readonly ownedCount: number;
  /** Counted all-day events; 0 unless `allDayCountRequest` applies. */
  readonly allDayEventCount: number;
  /** Unexpired request with the same key. */
  readonly earlierRequest?: EarlierRequest;
}

/** Background work on events after a change of a calendar. */
export type CalendarJob =
  /** Adds events to a new calendar that invited its owner before. */
  | { readonly kind: 'invite'; readonly calendarId: string; readonly owner: string }
  /** Cancels the events of a deleted calendar and removes its remaining data. */
  | {
      readonly kind: 'remove';
      readonly calendarId: string;
      readonly owner: string;
      readonly sendUpdates: 'all' | 'externalOnly' | 'none';
    };

/** Selects a job to claim. */
export interface JobFilter {
  readonly calendarId?: string;
  /** Minimum age (ms) of a job that no gateway has begun, since the gateway that created it begins it at once. */
  readonly headStartMs?: number;
}

/** A claimed job. `progress`: an opaque text, absent at the beginning. */
export interface StartedJob<Kind extends CalendarJob['kind'] = CalendarJob['kind']> {
  readonly job: Extract<CalendarJob, { readonly kind: Kind }>;
  /** Time of the change that created the job (epoch ms). */
  readonly createdAt: number;
  readonly progress?: string;
}

/** Result of a decision, stored atomically. */
export interface CalendarDecision<T> {
  /** Calendar to store. A new one counts towards the quota of the target's creator. */
  readonly next?: CalendarRecord;
  /** True deletes the calendar. The id cannot be used again. */
  readonly removes?: true;
  /** Background job to store with the change. */
  readonly job?: CalendarJob;
  /** Small JSON value stored with the target's request, for repeated requests with the same key. */
  readonly outcome?: object;
  readonly result: T;
}

/** Stores calendars. Returned records are frozen. Every method is atomic: a method that throws has stored nothing. */
export interface CalendarStore {
  /** Returns calendars in the order of `refs`; undefined for a missing one. */
  calendars(refs: readonly CalendarRef[]): Promise<(CalendarRecord | undefined)[]>;
  /** Returns calendars that an identity owns or that list it in their ACL, in order of creation. */
  calendarsOf(identity: string): Promise<readonly CalendarRecord[]>;
  /** Returns up to `limit` calendars after an id, sorted by id (code units). */
  calendarsAfter(id: string, limit: number): Promise<readonly CalendarRecord[]>;
  /**
   * Stores the decision on the latest state, unless `decide` throws. It must be pure and synchronous: it may run again.
   * `findPrimary` picks the primary one. A new time zone applies at once to the days of the calendar.
   */
  changeCalendar<T>(
    target: CalendarTarget,
    decide: (state: CalendarChangeState) => CalendarDecision<T>,
  ): Promise<T>;
  /** Claims an unclaimed job for `leaseMs`: that of the calendar of `filter`, otherwise the one that has been due longest. */
  claimJob(leaseMs: number, filter?: JobFilter): Promise<StartedJob | undefined>;
  /** Stores the progress of a claimed job and releases it; it is due again after `delayMs`. */
  continueJob(job: CalendarJob, progress: string | undefined, delayMs: number): Promise<void>;
  /** Deletes a job that is done. */
  endJob(job: CalendarJob): Promise<void>;
}

/** Reads a calendar. Concurrent reads of a request are batched, and results are cached for the request. */
export type ReadCalendar = (request: RequestKey, ref: CalendarRef) => Promise<CalendarRecord | undefined>;

export const createCalendarLoader = (store: CalendarStore): ReadCalendar =>
  createLoader((refs: readonly CalendarRef[]) => store.calendars(refs), {
    cacheKeyFn: JSON.stringify,
    // A missing calendar may be created during the request.
    isCached: (calendar) => calendar !== undefined,
  });
