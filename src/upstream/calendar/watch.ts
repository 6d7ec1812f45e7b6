import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { AppError } from '../../core/kernel/errors.ts';
import { isFields } from '../../core/kernel/patch.ts';
import { ServiceRefusal, type UpstreamClient } from '../client/call.ts';
import { bearerOf } from '../identity/bearer.ts';
import { calendarNamed } from './own-calendar.ts';

/** Who wants to know of a calendar. */
export interface Watcher {
  readonly viewer: Viewer;
  /** `token`: later changes are those behind it. */
  readonly onChange: (token: string) => void;
  /** It is not watched any more for this watcher. */
  readonly onLost: (error: unknown) => void;
}

/** Watches calendars by their sync tokens: each once for all watchers of a caller, and only while there are any. */
export interface CalendarWatch {
  /** Begins to watch until `ended` is aborted. The token behind which changes are told; rejects for a calendar that cannot be read. */
  begin(calendarId: string, watcher: Watcher, ended: AbortSignal): Promise<string>;
  /** What changed behind a token. */
  since(viewer: Viewer, calendarId: string, token: string): Promise<Synced>;
}

export interface Synced {
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

export function createCalendarWatch(client: UpstreamClient, pollSeconds: number): CalendarWatch {
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
/** Of a list, each with this many events. */
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
    const { body } = await client.call(
      {
        method: 'events.list',
        verb: 'GET',
        path: ['calendars', calendarId, 'events'],
        repeatable: true,
        query: {
          maxResults: most,
          syncToken,
          pageToken,
          fields:
            syncToken === undefined ? 'nextPageToken,nextSyncToken' : 'nextPageToken,nextSyncToken,items(id)',
        },
        // Each page has its own time: a calendar may have many.
      },
      { token: bearerOf(viewer), request: {} },
    );
    const { items, nextPageToken, nextSyncToken } = isFields(body) ? body : {};
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
