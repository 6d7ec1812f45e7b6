import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { calendarNotFound } from '../../calendar/calendar.access.ts';
import { AppError, requireValid, type Path, serviceUnavailableError } from '../../core/errors.ts';
import {
  createWakeSignal,
  maxIdleMs,
  type StreamedEvent,
  type StreamRequest,
  type WakeSignal,
} from '../../core/runtime/streams.ts';
import type { EventService } from '../../event/event.service.ts';
import type { CalendarChange } from '../../event/list/follow.ts';
import { calendarCountIssues } from '../../event/list/list.ts';
import type { UpstreamClient } from '../client/http-exchange.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { readAs } from '../pages.ts';
import { toCanonicalId, toPublicCalendarId } from './calendars.ts';
import type { CalendarDependencies } from './event-calls.ts';
import { toReadError } from './refusal-errors.ts';

/** A stream that follows a calendar for a viewer. */
interface Watcher {
  readonly viewer: Viewer;
  readonly onChange: (token: string) => void;
  /** Called once when the calendar can no longer be watched. */
  readonly onLost: (error: unknown) => void;
}

/** Result of an incremental list. `token`: the next sync token. */
interface SyncResult {
  readonly hasChanges: boolean;
  readonly token: string;
}

/** Calendar that is polled for one caller, with the streams that follow it. */
interface WatchedCalendar {
  readonly calendarId: string;
  readonly watchers: Set<Watcher>;
  /** Aborted when the last watcher has left. */
  readonly idleController: AbortController;
  readonly initialSync: Promise<SyncResult>;
  token: string;
}

/** Creates the polling of calendars by their sync tokens: each once per caller, and only while there are watchers. */
function createCalendarWatch(client: UpstreamClient, pollSeconds: number) {
  const watchedCalendars = new Map<string, WatchedCalendar>();

  /** Reads whether there are changes since a sync token. An expired token counts as a change, since changes may have been missed. */
  async function readChangesSince(viewer: Viewer, calendarId: string, token: string): Promise<SyncResult> {
    try {
      return await syncCalendar(client, viewer, calendarId, token);
    } catch (error) {
      if (!isTokenExpired(error)) throw error;
      return { ...(await syncCalendar(client, viewer, calendarId, undefined)), hasChanges: true };
    }
  }

  /** Polls with the bearer token of the latest watcher, which expires last. */
  async function poll({ calendarId, watchers, token }: WatchedCalendar): Promise<SyncResult> {
    const watcher = [...watchers].at(-1) as Watcher;
    try {
      return await readChangesSince(watcher.viewer, calendarId, token);
    } catch (error) {
      const lostWatchers =
        error instanceof ServiceRefusal
          ? [...watchers]
          : error instanceof AppError && error.code === 'UNAUTHENTICATED'
            ? [watcher]
            : [];
      for (const lostWatcher of lostWatchers) {
        watchers.delete(lostWatcher);
        lostWatcher.onLost(error);
      }
      // Temporary failures do not end the watch.
      return { hasChanges: false, token };
    }
  }

  async function pollWhileWatched(key: string, watchedCalendar: WatchedCalendar): Promise<void> {
    while (watchedCalendar.watchers.size > 0) {
      await pause(pollSeconds * 1000, undefined, { signal: watchedCalendar.idleController.signal }).catch(
        () => undefined,
      );
      if (watchedCalendar.watchers.size === 0) break;
      const { hasChanges, token } = await poll(watchedCalendar);
      watchedCalendar.token = token;
      if (hasChanges) for (const { onChange } of watchedCalendar.watchers) onChange(token);
    }
    if (watchedCalendars.get(key) === watchedCalendar) watchedCalendars.delete(key);
  }

  function startWatch(key: string, viewer: Viewer, calendarId: string): WatchedCalendar {
    const watched: WatchedCalendar = {
      calendarId,
      watchers: new Set(),
      idleController: new AbortController(),
      initialSync: syncCalendar(client, viewer, calendarId, undefined),
      token: '',
    };
    watchedCalendars.set(key, watched);
    watched.initialSync
      .then(({ token }) => {
        watched.token = token;
        return pollWhileWatched(key, watched);
      })
      .catch(() => watchedCalendars.get(key) === watched && watchedCalendars.delete(key));
    return watched;
  }

  return {
    changesSince: readChangesSince,
    /** Watches until `endSignal` is aborted. Resolves to the initial sync token; rejects if the calendar cannot be read. */
    async start(calendarId: string, watcher: Watcher, ended: AbortSignal): Promise<string> {
      const { viewer } = watcher;
      const key = JSON.stringify([viewer.key, toCanonicalId(calendarId, viewer)]);
      const existingWatch = watchedCalendars.get(key);
      const watched =
        existingWatch && !existingWatch.idleController.signal.aborted
          ? existingWatch
          : startWatch(key, viewer, calendarId);
      watched.watchers.add(watcher);
      const removeWatcher = (): void => {
        watched.watchers.delete(watcher);
        if (watched.watchers.size === 0) watched.idleController.abort();
      };
      if (ended.aborted) removeWatcher();
      else ended.addEventListener('abort', removeWatcher, { once: true });
      await watched.initialSync;
      return watched.token;
    },
  };
}

const isTokenExpired = (error: unknown): boolean =>
  error instanceof ServiceRefusal && (error.status === 410 || error.status === 400);

/** Maximum number of entries of a page (Google's limit), and of pages of a list. */
const [maxPageSize, maxPages] = [2500, 400];

/** Reads a list to its last page, which has the sync token. */
async function syncCalendar(
  client: UpstreamClient,
  viewer: Viewer,
  calendarId: string,
  syncToken: string | undefined,
): Promise<SyncResult> {
  let hasChanges = false;
  let pageToken: string | undefined;
  for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
    // Each page has its own retry budget, since there may be many.
    const { items, nextPageToken, nextSyncToken } = await readAs(
      viewer,
      client,
      {},
      {
        apiMethod: 'events.list',
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
  throw serviceUnavailableError('The calendar service returns no sync token for this calendar.');
}

/** Minimum pause between two events of a stream; faster changes are coalesced. */
const minEventPauseMs = 200;

/** Calendar of one stream, with the changes that the stream has not sent yet. */
interface FollowedCalendar {
  readonly id: string;
  /** Id as requested, which may be `primary`. */
  readonly requestedId: string;
  /** Paths of its ids in the request. */
  readonly paths: readonly Path[];
  /** Sync token; the client knows the changes before it. */
  token: string;
  hasChange: boolean;
  /** Error that ends the calendar's part of the stream. */
  error?: AppError | Error;
}

/** Creates the streams of calendar changes, by polling. Stream events have the sync token of their calendar as id. */
export function createCalendarStreams({
  client,
  clock,
  pollSeconds,
}: CalendarDependencies): Pick<EventService, 'followCalendar' | 'followCalendars'> {
  const calendarWatch = createCalendarWatch(client, pollSeconds);
  const changeOf = ({ id }: FollowedCalendar): CalendarChange => ({
    calendarId: id,
    changedAt: new Date(clock()).toISOString(),
  });

  /** Starts watching calendars. Throws if the viewer may not read one. */
  async function watchCalendars(
    viewer: Viewer,
    requestedCalendars: readonly (readonly [id: string, path: Path])[],
    ended: AbortSignal,
    wakeSignal: WakeSignal,
  ): Promise<FollowedCalendar[]> {
    const calendars = toFollowedCalendars(viewer, requestedCalendars);
    const failureController = new AbortController();
    const errors = await Promise.all(
      calendars.map(async (calendar): Promise<unknown> => {
        const onChange = (token: string): void => {
          Object.assign(calendar, { token, hasChange: true });
          wakeSignal.wake();
        };
        const onLost = (error: unknown): void => {
          calendar.error = toReadError(error, { calendarPaths: calendar.paths }) as AppError;
          wakeSignal.wake();
        };
        try {
          calendar.token = await calendarWatch.start(
            calendar.requestedId,
            { viewer, onChange, onLost },
            AbortSignal.any([ended, failureController.signal]),
          );
          return undefined;
        } catch (error) {
          return toReadError(error, { calendarPaths: calendar.paths });
        }
      }),
    );
    const missingPaths = calendars.flatMap(({ paths }, index) => {
      const error = errors[index];
      return error instanceof AppError && error.code === 'NOT_FOUND' ? paths : [];
    });
    const failures: readonly unknown[] = errors.filter((error) => error !== undefined);
    if (failures.length > 0) failureController.abort();
    if (missingPaths.length > 0) throw calendarNotFound(missingPaths);
    for (const error of failures) throw error;
    return calendars;
  }

  /** Whether changes follow a sync token, or may follow. */
  async function mayHaveChanges(viewer: Viewer, calendarId: string, token: string): Promise<boolean> {
    try {
      return (await calendarWatch.changesSince(viewer, calendarId, token)).hasChanges;
    } catch {
      return true;
    }
  }

  return {
    async followCalendar(viewer, { calendarId }, { lastEventId, endSignal }) {
      const wakeSignal = createWakeSignal();
      const calendars = await watchCalendars(viewer, [[calendarId, ['calendarId']]], endSignal, wakeSignal);
      for (const calendar of calendars)
        calendar.hasChange ||=
          lastEventId !== undefined && (await mayHaveChanges(viewer, calendarId, lastEventId));
      return streamEvents(calendars, endSignal, wakeSignal, ({ error, ...calendar }) => {
        if (error) throw error;
        return {
          ...(isHeaderValue(calendar.token) && { id: calendar.token }),
          value: changeOf(calendar),
        };
      });
    },

    async followCalendars(viewer, { calendarIds }, { endSignal }: StreamRequest) {
      requireValid(calendarCountIssues(calendarIds.length));
      const wakeSignal = createWakeSignal();
      const calendars = await watchCalendars(
        viewer,
        calendarIds.map((id, index) => [id, ['calendarIds', index]] as const),
        endSignal,
        wakeSignal,
      );
      for (const calendar of calendars) calendar.hasChange = true;
      return streamEvents(
        calendars,
        endSignal,
        wakeSignal,
        (calendar): StreamedEvent<CalendarChange | AppError> => {
          const { error } = calendar;
          // An invalid bearer token ends the stream for all calendars.
          if (error && (!(error instanceof AppError) || error.code === 'UNAUTHENTICATED')) throw error;
          return { value: error ?? changeOf(calendar) };
        },
      );
    },
  };
}

/** Whether a sync token can be the id of a stream event, which clients send in a header. */
const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Merges requested ids of the same calendar. */
function toFollowedCalendars(
  viewer: Viewer,
  requestedCalendars: readonly (readonly [id: string, path: Path])[],
): FollowedCalendar[] {
  const calendars = new Map<string, FollowedCalendar & { readonly paths: Path[] }>();
  for (const [requestedId, path] of requestedCalendars) {
    const id = toPublicCalendarId(requestedId, viewer);
    const existingCalendar = calendars.get(id);
    if (existingCalendar) existingCalendar.paths.push(path);
    else calendars.set(id, { id, requestedId, paths: [path], token: '', hasChange: false });
  }
  return [...calendars.values()];
}

/** Yields stream events until no calendar is left. */
async function* streamEvents<T>(
  calendars: readonly FollowedCalendar[],
  ended: AbortSignal,
  wakeSignal: WakeSignal,
  eventOf: (calendar: FollowedCalendar) => T,
): AsyncGenerator<T> {
  const openCalendars = new Set(calendars);
  ended.addEventListener('abort', wakeSignal.wake, { once: true });
  while (openCalendars.size > 0 && !ended.aborted) {
    const dueCalendars = [...openCalendars].filter(
      ({ hasChange, error }) => hasChange || error !== undefined,
    );
    for (const calendar of dueCalendars) {
      if (calendar.error) openCalendars.delete(calendar);
      calendar.hasChange = false;
      yield eventOf(calendar);
      if (ended.aborted) return;
    }
    if (dueCalendars.length > 0)
      await pause(minEventPauseMs, undefined, { signal: ended }).catch(() => undefined);
    else await wakeSignal.wait(maxIdleMs);
  }
}
