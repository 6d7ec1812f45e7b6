import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { calendarNotFound } from '../../calendar/calendar.access.ts';
import { AppError, invalidInput, type Path } from '../../core/errors.ts';
import {
  createWakeSignal,
  maxIdleMs,
  type Streamed,
  type StreamRequest,
  type WakeSignal,
} from '../../core/runtime/watch.ts';
import type { EventService } from '../../event/event.service.ts';
import type { CalendarChange } from '../../event/list/follow.ts';
import { calendarCountIssues } from '../../event/list/list.ts';
import type { UpstreamClient } from '../client/exchange.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { readAs } from '../pages.ts';
import { canonicalId, publicCalendarId } from './calendars.ts';
import type { CalendarDependencies } from './event-calls.ts';
import { readFault } from './faults.ts';

/** A stream that follows a calendar for a viewer. */
interface Watcher {
  readonly viewer: Viewer;
  readonly onChange: (token: string) => void;
  /** Called once when the calendar can no longer be watched. */
  readonly onLost: (error: unknown) => void;
}

/** Polls calendars by their sync tokens: each once per caller, and only while there are watchers. */
interface CalendarWatch {
  /** Watches until `ended` is aborted. Resolves to the initial sync token; rejects if the calendar cannot be read. */
  start(calendarId: string, watcher: Watcher, ended: AbortSignal): Promise<string>;
  changesSince(viewer: Viewer, calendarId: string, token: string): Promise<SyncResult>;
}

interface SyncResult {
  readonly hasChanges: boolean;
  readonly token: string;
}

interface WatchedCalendar {
  readonly calendarId: string;
  readonly watchers: Set<Watcher>;
  readonly idle: AbortController;
  readonly initialSync: Promise<SyncResult>;
  token: string;
}

function createCalendarWatch(client: UpstreamClient, pollSeconds: number): CalendarWatch {
  const watchedCalendars = new Map<string, WatchedCalendar>();

  /** Reports an expired token as a change, since changes may have been missed. */
  async function changesSince(viewer: Viewer, calendarId: string, token: string): Promise<SyncResult> {
    try {
      return await sync(client, viewer, calendarId, token);
    } catch (error) {
      if (!isExpired(error)) throw error;
      return { ...(await sync(client, viewer, calendarId, undefined)), hasChanges: true };
    }
  }

  /** Polls with the bearer token of the latest watcher, which expires last. */
  async function poll({ calendarId, watchers, token }: WatchedCalendar): Promise<SyncResult> {
    const watcher = [...watchers].at(-1) as Watcher;
    try {
      return await changesSince(watcher.viewer, calendarId, token);
    } catch (error) {
      const lost =
        error instanceof ServiceRefusal
          ? [...watchers]
          : error instanceof AppError && error.code === 'UNAUTHENTICATED'
            ? [watcher]
            : [];
      for (const lostWatcher of lost) {
        watchers.delete(lostWatcher);
        lostWatcher.onLost(error);
      }
      // Temporary failures do not end the watch.
      return { hasChanges: false, token };
    }
  }

  async function run(key: string, watched: WatchedCalendar): Promise<void> {
    while (watched.watchers.size > 0) {
      await pause(pollSeconds * 1000, undefined, { signal: watched.idle.signal }).catch(() => undefined);
      if (watched.watchers.size === 0) break;
      const { hasChanges, token } = await poll(watched);
      watched.token = token;
      if (hasChanges) for (const { onChange } of watched.watchers) onChange(token);
    }
    if (watchedCalendars.get(key) === watched) watchedCalendars.delete(key);
  }

  function open(key: string, viewer: Viewer, calendarId: string): WatchedCalendar {
    const watched: WatchedCalendar = {
      calendarId,
      watchers: new Set(),
      idle: new AbortController(),
      initialSync: sync(client, viewer, calendarId, undefined),
      token: '',
    };
    watchedCalendars.set(key, watched);
    watched.initialSync
      .then(({ token }) => {
        watched.token = token;
        return run(key, watched);
      })
      .catch(() => watchedCalendars.get(key) === watched && watchedCalendars.delete(key));
    return watched;
  }

  return {
    changesSince,
    async start(calendarId, watcher, ended) {
      const { viewer } = watcher;
      const key = JSON.stringify([viewer.key, canonicalId(calendarId, viewer)]);
      const existing = watchedCalendars.get(key);
      const watched = existing && !existing.idle.signal.aborted ? existing : open(key, viewer, calendarId);
      watched.watchers.add(watcher);
      const leave = (): void => {
        watched.watchers.delete(watcher);
        if (watched.watchers.size === 0) watched.idle.abort();
      };
      if (ended.aborted) leave();
      else ended.addEventListener('abort', leave, { once: true });
      await watched.initialSync;
      return watched.token;
    },
  };
}

const isExpired = (error: unknown): boolean =>
  error instanceof ServiceRefusal && (error.status === 410 || error.status === 400);

const maxPageSize = 2500;
const maxPages = 400;

/** Reads a list to its last page, which has the sync token. */
async function sync(
  client: UpstreamClient,
  viewer: Viewer,
  calendarId: string,
  syncToken: string | undefined,
): Promise<SyncResult> {
  let hasChanges = false;
  let pageToken: string | undefined;
  for (let count = 0; count < maxPages; count += 1) {
    // Each page has its own retry budget, since there may be many.
    const { items, nextPageToken, nextSyncToken } = await readAs(
      viewer,
      client,
      {},
      {
        method: 'events.list',
        path: ['calendars', calendarId, 'events'],
        query: {
          maxResults: maxPageSize,
          syncToken,
          pageToken,
          fields: `nextPageToken,nextSyncToken${syncToken === undefined ? '' : ',items(id)'}`,
        },
      },
    );
    hasChanges ||= syncToken !== undefined && Array.isArray(items) && items.length > 0;
    if (typeof nextSyncToken === 'string') return { hasChanges, token: nextSyncToken };
    if (typeof nextPageToken !== 'string') break;
    pageToken = nextPageToken;
  }
  throw new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar service returns no sync token for this calendar.',
  );
}

/** Minimum pause between two events of a stream; faster changes are coalesced. */
const minPauseMs = 200;

interface FollowedCalendar {
  readonly id: string;
  readonly requestedId: string;
  /** Paths of its ids in the request. */
  readonly paths: readonly Path[];
  /** Sync token; the client knows the changes before it. */
  token: string;
  hasNews: boolean;
  error?: AppError | Error;
}

/** Streams changes of calendars by polling. Stream events have the sync token of their calendar as id. */
export function createFollowing({
  client,
  clock,
  pollSeconds,
}: CalendarDependencies): Pick<EventService, 'followCalendar' | 'followCalendars'> {
  const watch = createCalendarWatch(client, pollSeconds);
  const changeOf = ({ id }: FollowedCalendar): CalendarChange => ({
    calendarId: id,
    changedAt: new Date(clock()).toISOString(),
  });

  /** Starts watching calendars. Throws if the viewer may not read one. */
  async function watchCalendars(
    viewer: Viewer,
    requested: readonly (readonly [id: string, path: Path])[],
    ended: AbortSignal,
    signal: WakeSignal,
  ): Promise<FollowedCalendar[]> {
    const calendars = calendarsOf(viewer, requested);
    const failed = new AbortController();
    const results = await Promise.allSettled(
      calendars.map(async (calendar) => {
        const onChange = (token: string): void => {
          Object.assign(calendar, { token, hasNews: true });
          signal.wake();
        };
        const onLost = (error: unknown): void => {
          calendar.error = readFault(error, { calendarPaths: calendar.paths }) as AppError;
          signal.wake();
        };
        calendar.token = await watch.start(
          calendar.requestedId,
          { viewer, onChange, onLost },
          AbortSignal.any([ended, failed.signal]),
        );
      }),
    );
    const errors = results.flatMap((result, index) =>
      result.status === 'rejected'
        ? [
            {
              error: readFault(result.reason, { calendarPaths: calendars[index]?.paths ?? [] }),
              paths: calendars[index]?.paths ?? [],
            },
          ]
        : [],
    );
    const missing = errors.filter(({ error }) => error instanceof AppError && error.code === 'NOT_FOUND');
    if (errors.length > 0) failed.abort();
    if (missing.length > 0) throw calendarNotFound(missing.flatMap(({ paths }) => paths));
    for (const { error } of errors) throw error;
    return calendars;
  }

  /** Whether changes follow a sync token, or may follow. */
  async function mayHaveChanges(viewer: Viewer, calendarId: string, token: string): Promise<boolean> {
    try {
      return (await watch.changesSince(viewer, calendarId, token)).hasChanges;
    } catch {
      return true;
    }
  }

  return {
    async followCalendar(viewer, { calendarId }, { lastEventId, ended }) {
      const signal = createWakeSignal();
      const calendars = await watchCalendars(viewer, [[calendarId, ['calendarId']]], ended, signal);
      for (const calendar of calendars)
        calendar.hasNews ||=
          lastEventId !== undefined && (await mayHaveChanges(viewer, calendarId, lastEventId));
      return eventsOf(calendars, ended, signal, ({ error, ...calendar }) => {
        if (error) throw error;
        return { ...(isHeaderValue(calendar.token) && { id: calendar.token }), value: changeOf(calendar) };
      });
    },

    async followCalendars(viewer, { calendarIds }, { ended }: StreamRequest) {
      const issues = calendarCountIssues(calendarIds.length);
      if (issues.length > 0) throw invalidInput(issues);
      const signal = createWakeSignal();
      const calendars = await watchCalendars(
        viewer,
        calendarIds.map((id, index) => [id, ['calendarIds', index]] as const),
        ended,
        signal,
      );
      for (const calendar of calendars) calendar.hasNews = true;
      return eventsOf(calendars, ended, signal, (calendar): Streamed<CalendarChange | AppError> => {
        const { error } = calendar;
        // An invalid bearer token ends the stream for all calendars.
        if (error && (!(error instanceof AppError) || error.code === 'UNAUTHENTICATED')) throw error;
        return { value: error ?? changeOf(calendar) };
      });
    },
  };
}

/** Whether a sync token can be the id of a stream event, which clients send in a header. */
const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

function calendarsOf(
  viewer: Viewer,
  requested: readonly (readonly [id: string, path: Path])[],
): FollowedCalendar[] {
  const calendars = new Map<string, FollowedCalendar & { readonly paths: Path[] }>();
  for (const [name, path] of requested) {
    const id = publicCalendarId(name, viewer);
    const existing = calendars.get(id);
    if (existing) existing.paths.push(path);
    else calendars.set(id, { id, requestedId: name, paths: [path], token: '', hasNews: false });
  }
  return [...calendars.values()];
}

/** Yields stream events until no calendar is left. */
async function* eventsOf<T>(
  calendars: readonly FollowedCalendar[],
  ended: AbortSignal,
  signal: WakeSignal,
  eventOf: (calendar: FollowedCalendar) => T,
): AsyncGenerator<T> {
  const remaining = new Set(calendars);
  ended.addEventListener('abort', signal.wake, { once: true });
  while (remaining.size > 0 && !ended.aborted) {
    const due = [...remaining].filter(({ hasNews, error }) => hasNews || error !== undefined);
    for (const calendar of due) {
      if (calendar.error) remaining.delete(calendar);
      calendar.hasNews = false;
      yield eventOf(calendar);
      if (ended.aborted) return;
    }
    if (due.length > 0) await pause(minPauseMs, undefined, { signal: ended }).catch(() => undefined);
    else await signal.wait(maxIdleMs);
  }
}
