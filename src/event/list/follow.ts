import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { invalidInput, type AppError, type Path } from '../../core/errors.ts';
import type { Seal } from '../../core/seal.ts';
import { type Clock, createAlarm } from '../../core/runtime/clock.ts';
import type { Streamed, StreamRequest, Watch } from '../../core/runtime/watch.ts';
import {
  readerFilter,
  type FollowCalendarArgs,
  type FollowCalendarsArgs,
  visibilityForRole,
} from '../event.requests.ts';
import { calendarRef, noCalendar, otherSpelling, roleOf } from '../../calendar/calendar.access.ts';
import type { CalendarStore } from '../../calendar/calendar.store.ts';
import type { CalendarState, EventStore } from '../event.store.ts';
import { countIssues } from './list.ts';
import { readPageToken, writePageToken } from './list-request.ts';

/** A calendar has changed. */
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

/** The least pause between two events of a stream: faster changes are reported together. */
const minPauseMs = 200;
/** When a stream looks again for a change that did not show in full: nobody else tells of it. */
const unsettledMs = 1000;

/** One calendar of a stream. */
interface Followed {
  readonly id: string;
  /** Id by which the client named the calendar first; the stored id for `primary`. */
  readonly named: string;
  /** Where the request names the calendar. */
  readonly paths: Path[];
  /** The revision up to which the client knows of changes; undefined to notify the client at once. */
  revision: string | undefined;
  /** That of the calendar when it was last looked at: newer than `revision` while a change does not show in full. */
  seen?: string;
  /** How much of events the client's role showed then; undefined where that is unknown. */
  sight: string | undefined;
}

/** A calendar has changed, or cannot be followed any more. */
interface News {
  readonly calendar: Followed;
  readonly lost?: AppError;
}

/**
 * Reports that a calendar has changed, not what. An event's id is the calendar's revision, sealed as a sync token is: a
 * stream that resumes from an id or a sync token begins with an event when something changed since, or when that is
 * unknown. Throws, also later, when the viewer may not read the calendar.
 */
export async function followCalendar(
  viewer: Viewer,
  { calendarId }: FollowCalendarArgs,
  { lastEventId, ended }: StreamRequest,
  tools: FollowDependencies,
): Promise<AsyncIterable<Streamed<CalendarChange>>> {
  const { seal, clock } = tools;
  const calendars = await find(viewer, [[calendarId, ['calendarId']]], tools);
  for (const calendar of calendars) {
    if (lastEventId === undefined) break;
    const known = readPageToken(lastEventId, 'sync', calendar.id, seal);
    [calendar.revision, calendar.sight] = [known?.revision, known?.sight];
  }
  const news = follow(viewer, calendars, ended, tools);
  return (async function* () {
    for await (const { calendar, lost } of news) {
      if (lost) throw lost;
      const { id: calendarId, named, revision = '', sight } = calendar;
      yield {
        id: writePageToken({ kind: 'sync', calendarId, revision, sight, chosen: 'stream' }, seal),
        value: changeOf(named, clock),
      };
    }
  })();
}

/** Follows several calendars. Begins with an event for each, so that nothing is missed; a lost one comes as its error, once. Throws at the start. */
export async function followCalendars(
  viewer: Viewer,
  { calendarIds }: FollowCalendarsArgs,
  { ended }: StreamRequest,
  tools: FollowDependencies,
): Promise<AsyncIterable<Streamed<CalendarChange | AppError>>> {
  const issues = countIssues(calendarIds.length);
  if (issues.length > 0) throw invalidInput(issues);
  const calendars = await find(
    viewer,
    calendarIds.map((id, index) => [id, ['calendarIds', index]] as const),
    tools,
  );
  for (const calendar of calendars) calendar.revision = undefined;
  const news = follow(viewer, calendars, ended, tools);
  return (async function* () {
    for await (const { calendar, lost } of news)
      yield { value: lost ?? changeOf(calendar.named, tools.clock) };
  })();
}

const changeOf = (calendarId: string, clock: Clock): CalendarChange => ({
  calendarId,
  changedAt: new Date(clock()).toISOString(),
});

/** The calendars that a request names, each once and as they are now. Throws when there are some that the viewer may not read. */
async function find(
  viewer: Viewer,
  named: readonly (readonly [id: string, path: Path])[],
  { store }: FollowDependencies,
): Promise<Followed[]> {
  // Each id is followed by its lower-case spelling; the first that the viewer may read is used.
  const asked = named.flatMap(([name, path]) =>
    [name, otherSpelling(name) ?? []].flat().map((id) => ({ name, path, ref: calendarRef(id, viewer) })),
  );
  const states = await store.calendarStates(asked.map(({ ref }) => ref));
  const found = new Map<string, Followed>();
  const met = new Set<Path>();
  for (const [index, { name, path, ref }] of asked.entries()) {
    const state = states[index];
    if (!state || met.has(path) || roleOf(state.calendar, ref, viewer) === 'none') continue;
    met.add(path);
    const { id } = state.calendar;
    const { revision } = state;
    const sight = visibilityForRole(roleOf(state.calendar, ref, viewer));
    const known = found.get(id);
    if (known) known.paths.push(path);
    else found.set(id, { id, named: 'id' in ref ? name : id, paths: [path], revision, sight });
  }
  const missing = named.map(([, path]) => path).filter((path) => !met.has(path));
  if (missing.length > 0) throw noCalendar(missing);
  return [...found.values()];
}

/** Watches calendars from now on, and reports their changes as fast as the stream is read, until none is left to follow. */
function follow(
  viewer: Viewer,
  wanted: readonly Followed[],
  ended: AbortSignal,
  { store, calendars, watch }: FollowDependencies,
): AsyncIterable<News> {
  const followed = new Map(wanted.map((calendar) => [calendar.id, calendar]));
  const alarm = createAlarm(followed, ended);
  for (const { id } of wanted) watch(id, ended, () => alarm.ring(id));

  /** What is new of a calendar that was seen in this state. */
  async function newsOf(calendar: Followed, state: CalendarState | undefined): Promise<News | undefined> {
    const { id, revision: since, sight: before, seen } = calendar;
    const role = roleOf(state?.calendar, { id }, viewer);
    if (role === 'none' || !state) return { calendar, lost: noCalendar(calendar.paths) };
    const { revision } = state;
    const sight = visibilityForRole(role);
    // Another role shows other things of events that nobody changed.
    const isOther = before !== undefined && sight !== before;
    if (revision === since && revision === seen && !isOther) return undefined;
    // With one that does not show in full yet the client would miss the change.
    const safe = await store.safeRevision(id, revision, since === revision ? undefined : since);
    if (safe !== revision) alarm.ringIn(id, unsettledMs);
    Object.assign(calendar, { revision: safe, seen: revision, sight });
    if (safe === since && (safe === revision || seen === revision) && !isOther) return undefined;
    if (since === undefined || isOther) return { calendar };
    const page = await store.listEvents(id, {
      ...readerFilter(role, viewer),
      revision,
      since,
      cancelled: true,
      expand: false,
      order: 'position',
      limit: 1,
      accepts: () => true,
    });
    // Some time may have passed.
    const [current] = await calendars.calendars([{ id }]);
    if (roleOf(current, { id }, viewer) === 'none') return { calendar, lost: noCalendar(calendar.paths) };
    return !page || page.entries.length > 0 ? { calendar } : undefined;
  }

  return (async function* () {
    while (followed.size > 0) {
      const due = await alarm.next();
      const states = await store.calendarStates(due.map(({ id }) => ({ id })));
      let isReported = false;
      for (const [index, calendar] of due.entries()) {
        const news = await newsOf(calendar, states[index]);
        if (ended.aborted) return;
        if (news?.lost) followed.delete(calendar.id);
        if (news) yield news;
        isReported ||= news !== undefined;
      }
      if (ended.aborted) return;
      if (isReported) await pause(minPauseMs, undefined, { signal: ended }).catch(() => undefined);
    }
  })();
}
