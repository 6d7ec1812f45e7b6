import { randomBytes } from 'node:crypto';
import { isCaller, type Viewer } from '../access/permissions.ts';
import { changeByBody, type BodyInput } from '../core/fields/reduce-change.ts';
import { dailyLimitIssues } from '../core/quota.ts';
import { errorOf, type Issue, type Warning } from '../core/errors.ts';
import { requireMatch } from '../core/if-match.ts';
import { Report } from '../core/report.ts';
import { readEarlierOutcome, requestIdIssues, type RequestRecord } from '../core/request-record.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { isEmail } from '../core/text/email.ts';
import { zoneWarningMessage, windowsToIana } from '../core/time/time-zone.ts';
import { zoneSpelling } from '../core/time/zone-clock.ts';
import { forbiddenCalendar, nonOwnerIssues, requireAllowed } from './calendar.access.ts';
import {
  calendarFields,
  limits,
  type CalendarBody,
  type DeleteCalendarArgs,
  type InsertCalendarArgs,
  type PatchCalendarArgs,
} from './calendar.fields.ts';
import type {
  CalendarDecision,
  CalendarChangeState,
  CalendarRecord,
  CalendarSettings,
} from './calendar.store.ts';
import { calendarViewOf, calendarEtagOf, type CalendarView, type FeedUrlOf } from './calendar.view.ts';

/** Result of an insert or a patch, also that of a dry run. */
export interface CalendarWriteResult {
  readonly calendar: CalendarView;
  readonly warnings: readonly Warning[];
}

/** Outcome of an insert, stored to repeat the response. */
interface InsertOutcome {
  readonly record: CalendarRecord;
  readonly warnings: readonly Warning[];
}

export interface CalendarWriteDependencies {
  readonly clock: Clock;
  /** Host in the ids of new calendars. */
  readonly idHost: string;
  /** Time zone of new calendars without another one. */
  readonly defaultTimeZone: string;
  /** Absent: no feeds are served. */
  readonly feedUrlOf?: FeedUrlOf | undefined;
}

/** Decides changes of calendars on the loaded state. Throws AppError with all issues at once. */
export function createCalendarWrites({
  clock,
  idHost,
  defaultTimeZone,
  feedUrlOf,
}: CalendarWriteDependencies) {
  const viewOf = (record: CalendarRecord, viewer: Viewer, primaryId?: string): CalendarView =>
    calendarViewOf(record, viewer, primaryId, feedUrlOf) as CalendarView;
  const formatNow = (): string => new Date(clock()).toISOString();
  const createCalendarRecord = (id: string, owner: string): CalendarRecord => {
    const now = formatNow();
    const settings = { timeZone: defaultTimeZone, defaultReminders: [] };
    return { id, owner, ...settings, acl: [], created: now, updated: now, version: 0 };
  };
  /** Creates an id of 26 letters with 5 random bits each. */
  const createId = (): string =>
    `${Array.from(randomBytes(26), (byte) => idLetters[byte % idLetters.length]).join('')}@group.${idHost}`;

  /** Decides the insert of a calendar under a new id; a repeated request gets its earlier result. */
  function insert(
    viewer: Viewer,
    args: InsertCalendarArgs,
    request: RequestRecord | undefined,
    id: string,
    state: CalendarChangeState,
  ): CalendarDecision<CalendarWriteResult> {
    const storedOutcome = readEarlierOutcome<InsertOutcome>(request, state.earlierRequest);
    if (storedOutcome)
      return { result: { calendar: viewOf(storedOutcome.record, viewer), warnings: storedOutcome.warnings } };
    const report = new Report();
    const { next: fields, warnIgnored } = changeByBody<Partial<CalendarSettings>>(calendarFields, {
      argument: 'calendar',
      ...normalizeBody(args.calendar, report),
      visibleResource: {},
      before: {},
      isCreating: true,
      report,
    });
    const issues = [
      ...requestIdIssues(args.requestId),
      ...report.issues,
      ...(state.ownedCount >= limits.maxOwnedCalendars ? [tooManyCalendarsIssue(state.ownedCount)] : []),
    ];
    const refusal = isEmail(viewer.identity) ? undefined : noAddressIssue;
    if (refusal) throw errorOf('FORBIDDEN', [refusal, ...issues]);
    const quotaIssues = dailyLimitIssues(state.createdToday, 'calendars', ['calendar']);
    if (quotaIssues.length > 0) throw errorOf('RATE_LIMITED', [...quotaIssues, ...issues]);
    requireAllowed([], issues);
    const record: CalendarRecord = {
      ...createCalendarRecord(id, viewer.identity),
      ...fields,
      neverPrimary: true,
    };
    const calendar = viewOf(record, viewer);
    warnIgnored(calendar);
    const { warnings } = report;
    const result = { calendar, warnings };
    const outcome: InsertOutcome = { record, warnings };
    return args.validateOnly ? { result } : { next: record, outcome, result };
  }

  /** Decides a patch of the settings. One that changes nothing stores nothing. */
  function patch(
    viewer: Viewer,
    calendar: CalendarRecord,
    args: PatchCalendarArgs,
    primaryId: string | undefined,
    allDayEventCount: number,
  ): CalendarDecision<CalendarWriteResult> {
    const refusals = nonOwnerIssues(calendar, viewer);
    if (refusals.length === 0) requireMatch(args.ifMatch, () => calendarEtagOf(calendar), 'calendar');
    const report = new Report();
    const viewBefore = viewOf(calendar, viewer, primaryId);
    const { next: newSettings, warnIgnored } = changeByBody<CalendarRecord>(calendarFields, {
      argument: 'calendar',
      ...normalizeBody(args.calendar, report, calendar.timeZone),
      visibleResource: viewBefore,
      before: calendar,
      isCreating: false,
      report,
    });
    const issues = [...report.issues, ...(args.calendar.timeZone === null ? [missingZoneIssue] : [])];
    if (newSettings.timeZone !== calendar.timeZone && allDayEventCount > limits.maxMovedAllDayEvents)
      issues.push(tooManyAllDayEventsIssue);
    requireAllowed(refusals, issues);
    const record =
      newSettings === calendar
        ? calendar
        : {
            ...newSettings,
            defaultReminders: newSettings.defaultReminders ?? [],
            version: (calendar.version ?? 0) + 1,
            updated: formatNow(),
          };
    const viewAfter = viewOf(record, viewer, primaryId);
    warnIgnored(viewAfter);
    const result = { calendar: viewAfter, warnings: report.warnings };
    return newSettings === calendar || args.validateOnly ? { result } : { next: record, result };
  }

  /** Decides the deletion of a secondary calendar, which leaves its events to a job. Returns its id. */
  function remove(
    viewer: Viewer,
    calendar: CalendarRecord,
    { ifMatch, sendUpdates }: DeleteCalendarArgs,
    primaryId: string | undefined,
  ): CalendarDecision<string> {
    if (!isCaller(calendar.owner, viewer))
      throw forbiddenCalendar('Only the creator of this calendar can delete it.');
    if (calendar.id === primaryId)
      throw forbiddenCalendar(
        'This is your primary calendar, which cannot be deleted. Cancel its events instead.',
      );
    requireMatch(ifMatch, () => calendarEtagOf(calendar), 'calendar');
    const { id: calendarId, owner } = calendar;
    const job = { kind: 'remove', calendarId, owner, sendUpdates: sendUpdates ?? 'none' } as const;
    return { removes: true, job, result: calendarId };
  }

  /** Gives a calendar a new feed URL. `feedSeed`: its new random value. */
  function resetFeed(
    viewer: Viewer,
    calendar: CalendarRecord,
    feedSeed: string,
    primaryId: string | undefined,
  ): CalendarDecision<CalendarWriteResult> {
    requireAllowed(nonOwnerIssues(calendar, viewer));
    const next: CalendarRecord = { ...calendar, feedSeed };
    return { next, result: { calendar: viewOf(next, viewer, primaryId), warnings: [] } };
  }

  /** Creates the primary calendar of an identity, unless a calendar has or had its id. */
  function createPrimary(
    identity: string,
    { calendar, wasRemoved }: CalendarChangeState,
  ): CalendarDecision<boolean> {
    if (calendar || wasRemoved) return { result: false };
    const job = { kind: 'invite', calendarId: identity, owner: identity } as const;
    return { next: createCalendarRecord(identity, identity), job, result: true };
  }

  return { createId, insert, patch, remove, resetFeed, createPrimary };
}

export type CalendarWrites = ReturnType<typeof createCalendarWrites>;

/** Alphabet of base32hex (RFC 4648, section 7) in lower case. */
const idLetters = '0123456789abcdefghijklmnopqrstuv';

/** Normalizes a body: IANA zones (the stored spelling stays), lower-case colours, no `sms` reminders. */
function normalizeBody(
  body: CalendarBody,
  report: Report,
  storedZone?: string,
): Pick<BodyInput<object>, 'body' | 'indexOf'> {
  const { timeZone, backgroundColor, defaultReminders } = body;
  const ianaZone = typeof timeZone === 'string' ? windowsToIana(timeZone) : undefined;
  if (ianaZone !== undefined)
    report.warn(['calendar', 'timeZone'], 'normalized', zoneWarningMessage(ianaZone));
  const remainingIndexes: number[] = [];
  for (const [index, { method }] of (defaultReminders ?? []).entries()) {
    if (method !== 'sms') remainingIndexes.push(index);
    else
      report.warn(
        ['calendar', 'defaultReminders', index],
        'ignored',
        'New sms reminders are ignored. Use email or popup.',
      );
  }
  return {
    body: {
      ...body,
      ...(typeof timeZone === 'string' &&
        timeZone !== storedZone && { timeZone: zoneSpelling(ianaZone ?? timeZone) }),
      ...(typeof backgroundColor === 'string' && { backgroundColor: backgroundColor.toLowerCase() }),
      ...(defaultReminders && { defaultReminders: remainingIndexes.map((index) => defaultReminders[index]) }),
    },
    indexOf: (_list, index) => remainingIndexes[index] ?? index,
  };
}

const noAddressIssue: Issue = {
  path: ['calendar'],
  reason: 'forbidden',
  message: 'A calendar belongs to an e-mail address, and your token has none. Sign in with one.',
};

const missingZoneIssue: Issue = {
  path: ['calendar', 'timeZone'],
  reason: 'required',
  message: 'A calendar needs a time zone. Leave it out to keep the one it has, or name another.',
};

const tooManyCalendarsIssue = (actual: number): Issue => ({
  path: ['calendar'],
  reason: 'tooMany',
  message: `One owner has at most ${limits.maxOwnedCalendars} calendars; you have ${actual}. Delete one that is not needed.`,
  params: { max: limits.maxOwnedCalendars, actual },
});

const tooManyAllDayEventsIssue: Issue = {
  path: ['calendar', 'timeZone'],
  reason: 'tooMany',
  message: `The time zone of a calendar with more than ${limits.maxMovedAllDayEvents} all-day events cannot be changed.`,
  params: { max: limits.maxMovedAllDayEvents },
};
