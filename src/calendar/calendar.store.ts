import type { Maker } from '../core/quota.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { CalendarRecord, CalendarRef } from './calendar.ts';

/** The calendar that a change is about, or the id of one that is to be made, and what else the change is decided on. */
export interface CalendarTarget {
  readonly calendar: CalendarRef;
  /** To count what this caller has made. */
  readonly maker?: Maker;
  /** Counts the calendar's all-day events, up to a number, where it has another zone than this. */
  readonly countsDays?: { readonly to: number; readonly zone: string };
  readonly request?: RequestRecord;
}

/** What a change is decided on, all of it read at one moment. */
export interface CalendarState {
  readonly calendar: CalendarRecord | undefined;
  /** Its id was that of a calendar which was deleted. */
  readonly wasRemoved: boolean;
  /** How many calendars the maker has made on that day, deleted ones too, and owns now. */
  readonly madeToday: number;
  readonly owned: number;
  readonly allDayEvents: number;
  /** An earlier request with the same key whose time has not run out. */
  readonly earlier?: EarlierRequest;
}

/** What a change leaves to be done with events, in the background. */
export type CalendarJob =
  /** Events that invited the owner before there was a calendar come to it. */
  | { readonly kind: 'invite'; readonly calendarId: string; readonly owner: string }
  /** The events of a deleted calendar are cancelled, and what is left of it goes. */
  | {
      readonly kind: 'remove';
      readonly calendarId: string;
      readonly owner: string;
      readonly sendUpdates: 'all' | 'externalOnly' | 'none';
    };

export interface WantedJob {
  readonly calendarId?: string;
  /** One that nobody has begun was left so long ago (ms): whoever left it is to begin it. */
  readonly headStartMs?: number;
}

/** A job with how far it has come: an opaque text, absent at its beginning. */
export interface StartedJob<Kind extends CalendarJob['kind'] = CalendarJob['kind']> {
  readonly job: Extract<CalendarJob, { readonly kind: Kind }>;
  /** When it was left (epoch ms). */
  readonly leftAt: number;
  readonly progress?: string;
}

/** The result of a decision: all of it is stored, or nothing. */
export interface CalendarChange<T> {
  /** The calendar as it is to be. A calendar that was not there is counted as made by the target's maker. */
  readonly next?: CalendarRecord;
  /** It is deleted: nobody finds it any more, and its id is used up. */
  readonly removes?: true;
  readonly job?: CalendarJob;
  /** A small JSON value that is stored with the target's request, for the next request with the same key. */
  readonly outcome?: object;
  readonly result: T;
}

/** Stores calendars. Records are handed out frozen. Every method is atomic; a method that throws has stored nothing. */
export interface CalendarStore {
  /** The calendars that are referred to, in order; undefined where there is none. */
  calendars(refs: readonly CalendarRef[]): Promise<(CalendarRecord | undefined)[]>;
  /** The calendars that an identity owns or that name it in their access list, in the order in which they were added. */
  calendarsOf(identity: string): Promise<readonly CalendarRecord[]>;
  /** All calendars in the order of their ids (by code unit), up to `limit` behind an id. */
  calendarsBehind(id: string, limit: number): Promise<readonly CalendarRecord[]>;
  /**
   * Stores what `decide` makes of the newest state. `decide` may throw to refuse: then nothing is stored. It must be a pure
   * function of the state that does not wait: it may run more than once. The first calendar of an owner that may be so is
   * primary, unless another one has the owner's address as its id. A new time zone decides at once where days begin.
   */
  changeCalendar<T>(target: CalendarTarget, decide: (state: CalendarState) => CalendarChange<T>): Promise<T>;
  /**
   * A job that nobody else works off now, and that nobody else gets for so long: that of a calendar, or else the one that
   * is due for longest. Undefined where there is none.
   */
  claimJob(leaseMs: number, wanted?: WantedJob): Promise<StartedJob | undefined>;
  /** How far a claimed job has come; the next turn is in so many milliseconds. */
  continueJob(job: CalendarJob, progress: string | undefined, delayMs: number): Promise<void>;
  /** Forgets a job that is done. */
  endJob(job: CalendarJob): Promise<void>;
}
