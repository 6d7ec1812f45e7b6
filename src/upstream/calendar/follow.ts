import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { noCalendar } from '../../calendar/calendar.access.ts';
import { AppError, invalidInput, type Path } from '../../core/errors.ts';
import {
  createWakeSignal,
  longestRestMs,
  type Streamed,
  type StreamRequest,
  type WakeSignal,
} from '../../core/runtime/watch.ts';
import type { EventService } from '../../event/event.service.ts';
import type { CalendarChange } from '../../event/list/follow.ts';
import { countIssues } from '../../event/list/list.ts';
import type { UpstreamClient } from '../client/exchange.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { readAs } from '../pages.ts';
import { calendarNamed, calendarTold } from './calendars.ts';
import type { UpstreamCalendarParts } from './event-calls.ts';
import { readFault } from './faults.ts';

/** A viewer who follows a calendar. */
interface Watcher {
  readonly viewer: Viewer;
  /** `token`: later changes are those behind it. */
  readonly onChange: (token: string) => void;
  /** Called when the calendar is not watched any more for this watcher. */
  readonly onLost: (error: unknown) => void;
}

/** Watches calendars by their sync tokens: each once for all watchers of a caller, and only while there are any. */
interface CalendarWatch {
  /** Begins to watch until `ended` is aborted. The token behind which changes are told; rejects for a calendar that cannot be read. */
  begin(calendarId: string, watcher: Watcher, ended: AbortSignal): Promise<string>;
  /** Lists what changed behind a token. */
  since(viewer: Viewer, calendarId: string, token: string): Promise<Synced>;
}

interface Synced {
  readonly changed: boolean;
  readonly token: string;
}

/** A calendar that is watched for one caller. */
interface Watched {
  readonly calendarId: string;
  readonly watchers: Set<Watcher>;
  /** Aborted when the last watcher is gone. */
  readonly idle: AbortController;
  readonly begun: Promise<Synced>;
  token: string;
}

function createCalendarWatch(client: UpstreamClient, pollSeconds: number): CalendarWatch {
  const all = new Map<string, Watched>();

  /** Tokens that cannot be used any more are as a change: nobody knows of what. */
  async function since(viewer: Viewer, calendarId: string, token: string): Promise<Synced> {
    try {
      return await sync(client, viewer, calendarId, token);
    } catch (error) {
      if (!isExpired(error)) throw error;
      return { ...(await sync(client, viewer, calendarId, undefined)), changed: true };
    }
  }

  /** Looks at a calendar with the token of whoever came last: it lasts longest. */
  async function look({ calendarId, watchers, token }: Watched): Promise<Synced> {
    const watcher = [...watchers].at(-1) as Watcher;
    try {
      return await since(watcher.viewer, calendarId, token);
    } catch (error) {
      const lost =
        error instanceof ServiceRefusal
          ? [...watchers]
          : error instanceof AppError && error.code === 'UNAUTHENTICATED'
            ? [watcher]
            : [];
      for (const one of lost) {
        watchers.delete(one);
        one.onLost(error);
      }
      // A service that is away comes back.
      return { changed: false, token };
    }
  }

  async function run(key: string, watched: Watched): Promise<void> {
    while (watched.watchers.size > 0) {
      await pause(pollSeconds * 1000, undefined, { signal: watched.idle.signal }).catch(() => undefined);
      if (watched.watchers.size === 0) break;
      const { changed, token } = await look(watched);
      watched.token = token;
      if (changed) for (const { onChange } of watched.watchers) onChange(token);
    }
    if (all.get(key) === watched) all.delete(key);
  }

  function open(key: string, viewer: Viewer, calendarId: string): Watched {
    const watched: Watched = {
      calendarId,
      watchers: new Set(),
      idle: new AbortController(),
      begun: sync(client, viewer, calendarId, undefined),
      token: '',
    };
    all.set(key, watched);
    watched.begun
      .then(({ token }) => {
        watched.token = token;
        return run(key, watched);
      })
      .catch(() => all.get(key) === watched && all.delete(key));
    return watched;
  }

  return {
    since,
    async begin(calendarId, watcher, ended) {
      const { viewer } = watcher;
      const key = JSON.stringify([viewer.key, calendarNamed(calendarId, viewer)]);
      const known = all.get(key);
      const watched = known && !known.idle.signal.aborted ? known : open(key, viewer, calendarId);
      watched.watchers.add(watcher);
      const leave = (): void => {
        watched.watchers.delete(watcher);
        if (watched.watchers.size === 0) watched.idle.abort();
      };
      if (ended.aborted) leave();
      else ended.addEventListener('abort', leave, { once: true });
      await watched.begun;
      return watched.token;
    },
  };
}

const isExpired = (error: unknown): boolean =>
  error instanceof ServiceRefusal && (error.status === 410 || error.status === 400);

const most = 2500;
/** The highest number of pages of a list, of `most` events each. */
const mostPages = 400;

/** Goes through a list to its end, where its sync token is. */
async function sync(
  client: UpstreamClient,
  viewer: Viewer,
  calendarId: string,
  syncToken: string | undefined,
): Promise<Synced> {
  let changed = false;
  let pageToken: string | undefined;
  for (let count = 0; count < mostPages; count += 1) {
    // Each page has its own time: a calendar may have many.
    const { items, nextPageToken, nextSyncToken } = await readAs(
      viewer,
      client,
      {},
      {
        method: 'events.list',
        path: ['calendars', calendarId, 'events'],
        query: {
          maxResults: most,
          syncToken,
          pageToken,
          fields: `nextPageToken,nextSyncToken${syncToken === undefined ? '' : ',items(id)'}`,
        },
      },
    );
    changed ||= syncToken !== undefined && Array.isArray(items) && items.length > 0;
    if (typeof nextSyncToken === 'string') return { changed, token: nextSyncToken };
    if (typeof nextPageToken !== 'string') break;
    pageToken = nextPageToken;
  }
  throw new AppError(
    'UNAVAILABLE',
    'backendError',
    'The calendar service gives no sync token for this calendar.',
  );
}

/** The least pause between two events of a stream (ms): faster changes are reported together. */
const leastPauseMs = 200;

/** One calendar of a stream. */
interface Followed {
  readonly id: string;
  /** As the request names it first. */
  readonly named: string;
  /** Where the request names it. */
  readonly paths: readonly Path[];
  /** The client knows of what lies before it. */
  token: string;
  isDue: boolean;
  lost?: AppError | Error;
}

/** Tells that calendars of the service have changed, as the own store tells it. Events have the sync token of their calendar for an id. */
export function createFollowing({
  client,
  clock,
  pollSeconds,
}: UpstreamCalendarParts): Pick<EventService, 'followCalendar' | 'followCalendars'> {
  const watch = createCalendarWatch(client, pollSeconds);
  const changeOf = ({ id }: Followed): CalendarChange => ({
    calendarId: id,
    changedAt: new Date(clock()).toISOString(),
  });

  /** Watches calendars from now on. Throws when there are some that the viewer may not read. */
  async function watched(
    viewer: Viewer,
    named: readonly (readonly [id: string, path: Path])[],
    ended: AbortSignal,
    signal: WakeSignal,
  ): Promise<Followed[]> {
    const calendars = calendarsOf(viewer, named);
    const failed = new AbortController();
    const found = await Promise.allSettled(
      calendars.map(async (calendar) => {
        const onChange = (token: string): void => {
          Object.assign(calendar, { token, isDue: true });
          signal.wake();
        };
        const onLost = (error: unknown): void => {
          calendar.lost = readFault(error, { calendarAt: calendar.paths }) as AppError;
          signal.wake();
        };
        calendar.token = await watch.begin(
          calendar.named,
          { viewer, onChange, onLost },
          AbortSignal.any([ended, failed.signal]),
        );
      }),
    );
    const errors = found.flatMap((one, index) =>
      one.status === 'rejected'
        ? [
            {
              error: readFault(one.reason, { calendarAt: calendars[index]?.paths ?? [] }),
              paths: calendars[index]?.paths ?? [],
            },
          ]
        : [],
    );
    const missing = errors.filter(({ error }) => error instanceof AppError && error.code === 'NOT_FOUND');
    if (errors.length > 0) failed.abort();
    if (missing.length > 0) throw noCalendar(missing.flatMap(({ paths }) => paths));
    for (const { error } of errors) throw error;
    return calendars;
  }

  /** Whether something changed behind the id of an event, or nobody knows. */
  async function hasChanged(viewer: Viewer, calendarId: string, id: string): Promise<boolean> {
    try {
      return (await watch.since(viewer, calendarId, id)).changed;
    } catch {
      return true;
    }
  }

  return {
    async followCalendar(viewer, { calendarId }, { lastEventId, ended }) {
      const signal = createWakeSignal();
      const calendars = await watched(viewer, [[calendarId, ['calendarId']]], ended, signal);
      for (const calendar of calendars)
        calendar.isDue ||= lastEventId !== undefined && (await hasChanged(viewer, calendarId, lastEventId));
      return eventsOf(calendars, ended, signal, ({ lost, ...calendar }) => {
        if (lost) throw lost;
        return { ...(isLine(calendar.token) && { id: calendar.token }), value: changeOf(calendar) };
      });
    },

    async followCalendars(viewer, { calendarIds }, { ended }: StreamRequest) {
      const issues = countIssues(calendarIds.length);
      if (issues.length > 0) throw invalidInput(issues);
      const signal = createWakeSignal();
      const calendars = await watched(
        viewer,
        calendarIds.map((id, index) => [id, ['calendarIds', index]] as const),
        ended,
        signal,
      );
      for (const calendar of calendars) calendar.isDue = true;
      return eventsOf(calendars, ended, signal, (calendar): Streamed<CalendarChange | AppError> => {
        const { lost } = calendar;
        // The token is none any more, for all of them.
        if (lost && (!(lost instanceof AppError) || lost.code === 'UNAUTHENTICATED')) throw lost;
        return { value: lost ?? changeOf(calendar) };
      });
    },
  };
}

/** Ids of events stand in a header. */
const isLine = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** The calendars that a request names, each once. */
function calendarsOf(viewer: Viewer, named: readonly (readonly [id: string, path: Path])[]): Followed[] {
  const found = new Map<string, Followed & { readonly paths: Path[] }>();
  for (const [name, path] of named) {
    const id = calendarTold(name, viewer);
    const known = found.get(id);
    if (known) known.paths.push(path);
    else found.set(id, { id, named: name, paths: [path], token: '', isDue: false });
  }
  return [...found.values()];
}

/** The events of a stream, as fast as they are read, until no calendar is left to follow. */
async function* eventsOf<T>(
  calendars: readonly Followed[],
  ended: AbortSignal,
  signal: WakeSignal,
  eventOf: (calendar: Followed) => T,
): AsyncGenerator<T> {
  const left = new Set(calendars);
  ended.addEventListener('abort', signal.wake, { once: true });
  while (left.size > 0 && !ended.aborted) {
    const due = [...left].filter(({ isDue, lost }) => isDue || lost !== undefined);
    for (const calendar of due) {
      if (calendar.lost) left.delete(calendar);
      calendar.isDue = false;
      yield eventOf(calendar);
      if (ended.aborted) return;
    }
    if (due.length > 0) await pause(leastPauseMs, undefined, { signal: ended }).catch(() => undefined);
    else await signal.wait(longestRestMs);
  }
}
