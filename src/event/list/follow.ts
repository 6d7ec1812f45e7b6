import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { requireValid, type AppError, type Path } from '../../core/errors.ts';
import type { Seal } from '../../core/seal.ts';
import { type Clock, createAlarm } from '../../core/runtime/clock.ts';
import type { StreamedEvent, StreamRequest, Watch } from '../../core/runtime/streams.ts';
import {
  createChangeQuery,
  type FollowCalendarArgs,
  type FollowCalendarsArgs,
  visibilityForRole,
} from '../event.requests.ts';
import {
  resolveCalendarRef,
  calendarNotFound,
  lowerCaseIdOf,
  roleForRef,
} from '../../calendar/calendar.access.ts';
import type { CalendarStore } from '../../calendar/calendar.store.ts';
import type { CalendarState, EventStore } from '../event.store.ts';
import { calendarCountIssues } from './list.ts';
import { readPageToken, writePageToken } from './list-request.ts';

/** Message of a stream: a calendar has changed. */
export interface CalendarChange {
  readonly calendarId: string;
  /** RFC 3339. */
  readonly changedAt: string;
}

interface FollowDependencies {
  readonly store: EventStore;
  readonly calendars: CalendarStore;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly watch: Watch;
}

/** Minimum pause between two reports of a stream: faster changes are coalesced. */
const minPauseMs = 200;
/**
 * Delay before a stream reads a calendar again whose latest change was only partly visible, since no further
 * notification follows.
 */
const recheckDelayMs = 1000;

/** Calendar of a stream, and the state of it that the client knows. */
interface FollowedCalendar {
  readonly id: string;
  /** Id that the client named the calendar by first; for `primary`, the stored id. */
  readonly namedId: string;
  readonly paths: Path[];
  /** Revision up to which the client knows all changes; undefined to report a change at once. */
  revision: string | undefined;
  /** Latest revision read: newer than `revision` while a change is only partly visible. */
  latestRevision?: string;
  /** Role by which visibility differs (`visibilityForRole`) at the last report; undefined if unknown. */
  visibilityRole: string | undefined;
}

/** Report that a calendar has changed, or cannot be followed any more (`error`). */
interface FollowReport {
  readonly calendar: FollowedCalendar;
  readonly error?: AppError;
}

/**
 * Streams a message when a calendar changes. The message id is the calendar's revision, sealed like a sync token. A stream
 * that resumes from a message id or sync token begins with a message if something changed since, or if that is unknown.
 * Throws, also later, if the viewer may not read the calendar.
 */
export async function followCalendar(
  viewer: Viewer,
  { calendarId }: FollowCalendarArgs,
  { lastEventId, endSignal }: StreamRequest,
  dependencies: FollowDependencies,
): Promise<AsyncIterable<StreamedEvent<CalendarChange>>> {
  const { seal, clock } = dependencies;
  const followedCalendars = await findCalendars(viewer, [[calendarId, ['calendarId']]], dependencies);
  for (const calendar of followedCalendars) {
    if (lastEventId === undefined) break;
    const token = readPageToken(lastEventId, 'sync', calendar.id, seal);
    [calendar.revision, calendar.visibilityRole] = [token?.revision, token?.sight];
  }
  const changeReports = watchForChanges(viewer, followedCalendars, endSignal, dependencies);
  return (async function* () {
    for await (const { calendar, error } of changeReports) {
      if (error) throw error;
      const { id: calendarId, namedId, revision = '', visibilityRole } = calendar;
      yield {
        id: writePageToken(
          { kind: 'sync', calendarId, revision, sight: visibilityRole, chosen: 'stream' },
          seal,
        ),
        value: createCalendarChange(namedId, clock),
      };
    }
  })();
}

/** Follows several calendars. Begins with a message for each, so that no change is missed. Reports a lost calendar once. */
export async function followCalendars(
  viewer: Viewer,
  { calendarIds }: FollowCalendarsArgs,
  { endSignal }: StreamRequest,
  followDependencies: FollowDependencies,
): Promise<AsyncIterable<StreamedEvent<CalendarChange | AppError>>> {
  requireValid(calendarCountIssues(calendarIds.length));
  const calendars = await findCalendars(
    viewer,
    calendarIds.map((id, index) => [id, ['calendarIds', index]] as const),
    followDependencies,
  );
  for (const calendar of calendars) calendar.revision = undefined;
  const calendarReports = watchForChanges(viewer, calendars, endSignal, followDependencies);
  return (async function* () {
    for await (const { calendar, error } of calendarReports)
      yield { value: error ?? createCalendarChange(calendar.namedId, followDependencies.clock) };
  })();
}

const createCalendarChange = (calendarId: string, clock: Clock): CalendarChange => ({
  calendarId,
  changedAt: new Date(clock()).toISOString(),
});

/** Finds the calendars that a request names, each once. Throws if the viewer may not read one of them. */
async function findCalendars(
  viewer: Viewer,
  namedCalendars: readonly (readonly [id: string, path: Path])[],
  { store }: FollowDependencies,
): Promise<FollowedCalendar[]> {
  // The lower-case spelling is tried after the given one; the first that the viewer may read is used.
  const candidates = namedCalendars.flatMap(([name, path]) =>
    [name, lowerCaseIdOf(name) ?? []]
      .flat()
      .map((id) => ({ name, path, ref: resolveCalendarRef(id, viewer) })),
  );
  const states = await store.calendarStates(candidates.map(({ ref }) => ref));
  const followedCalendarById = new Map<string, FollowedCalendar>();
  const readablePaths = new Set<Path>();
  for (const [index, { name, path, ref }] of candidates.entries()) {
    const state = states[index];
    const role = roleForRef(state?.calendar, ref, viewer);
    if (!state || readablePaths.has(path) || role === 'none') continue;
    readablePaths.add(path);
    const { id } = state.calendar;
    const followedCalendar = followedCalendarById.get(id) ?? {
      id,
      namedId: 'id' in ref ? name : id,
      paths: [],
      revision: state.revision,
      visibilityRole: visibilityForRole(role),
    };
    followedCalendar.paths.push(path);
    followedCalendarById.set(id, followedCalendar);
  }
  const missingPaths = namedCalendars.map(([, path]) => path).filter((path) => !readablePaths.has(path));
  if (missingPaths.length > 0) throw calendarNotFound(missingPaths);
  return [...followedCalendarById.values()];
}

/** Watches calendars and reports their changes as fast as the stream is read, until no calendar is left. */
function watchForChanges(
  viewer: Viewer,
  requestedCalendars: readonly FollowedCalendar[],
  abortSignal: AbortSignal,
  { store, calendars, watch }: FollowDependencies,
): AsyncIterable<FollowReport> {
  const activeCalendars = new Map(requestedCalendars.map((calendar) => [calendar.id, calendar]));
  const alarm = createAlarm(activeCalendars, abortSignal);
  for (const { id } of requestedCalendars) watch(id, abortSignal, () => alarm.ring(id));

  /**
   * Checks a calendar whose state was just read, and returns a report; undefined if nothing changed for the
   * viewer.
   */
  async function checkForChange(
    calendar: FollowedCalendar,
    state: CalendarState | undefined,
  ): Promise<FollowReport | undefined> {
    const { id, revision: revisionBefore, visibilityRole: roleBefore, latestRevision } = calendar;
    const role = roleForRef(state?.calendar, { id }, viewer);
    if (role === 'none' || !state) return { calendar, error: calendarNotFound(calendar.paths) };
    const { revision } = state;
    const visibilityRole = visibilityForRole(role);
    // A different role shows unchanged events differently.
    const isRoleChanged = roleBefore !== undefined && visibilityRole !== roleBefore;
    if (revision === revisionBefore && revision === latestRevision && !isRoleChanged) return undefined;
    // A revision of a partly visible change would make the client miss the rest of it.
    const safeRevision = await store.safeRevision(
      id,
      revision,
      revisionBefore === revision ? undefined : revisionBefore,
    );
    if (safeRevision !== revision) alarm.ringIn(id, recheckDelayMs);
    Object.assign(calendar, { revision: safeRevision, latestRevision: revision, visibilityRole });
    if (
      safeRevision === revisionBefore &&
      (safeRevision === revision || latestRevision === revision) &&
      !isRoleChanged
    )
      return undefined;
    if (revisionBefore === undefined || isRoleChanged) return { calendar };
    const page = await store.listEvents(
      id,
      createChangeQuery(role, viewer, { revision, since: revisionBefore }),
    );
    // Access may have changed while the page was read.
    const [currentCalendar] = await calendars.calendars([{ id }]);
    if (roleForRef(currentCalendar, { id }, viewer) === 'none')
      return { calendar, error: calendarNotFound(calendar.paths) };
    return !page || page.entries.length > 0 ? { calendar } : undefined;
  }

  return (async function* () {
    while (activeCalendars.size > 0) {
      const dueCalendars = await alarm.next();
      const states = await store.calendarStates(dueCalendars.map(({ id }) => ({ id })));
      let hasReported = false;
      for (const [index, calendar] of dueCalendars.entries()) {
        const report = await checkForChange(calendar, states[index]);
        if (abortSignal.aborted) return;
        if (report?.error) activeCalendars.delete(calendar.id);
        if (report) yield report;
        hasReported ||= report !== undefined;
      }
      if (abortSignal.aborted) return;
      if (hasReported) await pause(minPauseMs, undefined, { signal: abortSignal }).catch(() => undefined);
    }
  })();
}
