import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { calendarNotFound } from '../../calendar/calendar.access.ts';
import { AppError, requireValid, type Path, serviceUnavailableError } from '../../core/errors.ts';
import { createWakeSignal, maxIdleMs, type WakeSignal } from '../../core/runtime/streams.ts';
import type { EventService } from '../../event/event.service.ts';
import { createCalendarChange } from '../../event/list/follow.ts';
import { calendarCountIssues } from '../../event/list/list.ts';
import type { UpstreamClient } from '../client/http-exchange.ts';
import { ServiceRefusal } from '../client/responses.ts';
import { type CalendarDependencies, toCanonicalId, toEventPath, toPublicCalendarId } from './calendars.ts';
import { isRefusal, rethrowReadError, toReadError } from './refusal-errors.ts';

/** Calendar of one stream, with the changes that the stream has not sent yet. */
interface FollowedCalendar {
  readonly viewer: Viewer;
  readonly id: string;
  /** Id as requested, which may be `primary`. */
  readonly requestedId: string;
  /** Paths of its ids in the request. */
  readonly paths: Path[];
  /** Sync token; the client knows the changes before it. */
  token: string;
  hasChange: boolean;
  /** Error that ends the calendar's part of the stream. */
  error?: unknown;
  /** Wakes the stream. */
  readonly wake: () => void;
}

/** Calendar that is polled for one caller, with the streams that follow it. */
interface Poll {
  readonly calendarId: string;
  readonly followers: Set<FollowedCalendar>;
  /** Aborted when the last follower has left. */
  readonly idleController: AbortController;
  /** Resolves when the first sync token was read. */
  readonly initialSync: Promise<void>;
  token: string;
}

/** Creates the polling of calendars by their sync tokens: each once per caller, and only while streams follow it. */
function createCalendarPolls(client: UpstreamClient, pollSeconds: number) {
  const polls = new Map<string, Poll>();

  /** Polls with the bearer token of the latest follower, which expires last. */
  async function pollOnce(poll: Poll): Promise<void> {
    const { followers } = poll;
    const latestFollower = [...followers].at(-1) as FollowedCalendar;
    const { viewer } = latestFollower;
    try {
      const { hasChanges, token } = await readChangesSince(client, viewer, poll.calendarId, poll.token);
      poll.token = token;
      for (const follower of hasChanges ? followers : []) {
        Object.assign(follower, { token, hasChange: true });
        follower.wake();
      }
    } catch (error) {
      // Temporary failures end no stream; a refused bearer token ends one.
      const lostFollowers =
        error instanceof ServiceRefusal
          ? [...followers]
          : error instanceof AppError && error.code === 'UNAUTHENTICATED'
            ? [latestFollower]
            : [];
      for (const follower of lostFollowers) {
        followers.delete(follower);
        follower.error = toReadError(error, { calendarPaths: follower.paths });
        follower.wake();
      }
    }
  }

  async function pollUntilIdle(key: string, poll: Poll): Promise<void> {
    try {
      await poll.initialSync;
      while (poll.followers.size > 0) {
        await pause(pollSeconds * 1000, undefined, { ref: false, signal: poll.idleController.signal });
        await pollOnce(poll);
      }
    } catch {
      // No stream is left, or each has reported that the calendar cannot be read.
    } finally {
      removePoll(key, poll);
    }
  }

  const removePoll = (key: string, poll: Poll): unknown => polls.get(key) === poll && polls.delete(key);

  function startPoll(key: string, { viewer, requestedId }: FollowedCalendar): Poll {
    const poll: Poll = {
      calendarId: requestedId,
      followers: new Set(),
      idleController: new AbortController(),
      initialSync: syncCalendar(client, viewer, requestedId, undefined).then(({ token }) => {
        poll.token = token;
      }),
      token: '',
    };
    polls.set(key, poll);
    void pollUntilIdle(key, poll);
    return poll;
  }

  /** Updates a calendar with its changes until `endSignal` is aborted. Rejects if it cannot be read. */
  return async (calendar: FollowedCalendar, endSignal: AbortSignal): Promise<void> => {
    const { viewer, requestedId, paths } = calendar;
    const key = JSON.stringify([viewer.key, toCanonicalId(requestedId, viewer)]);
    const poll = polls.get(key) ?? startPoll(key, calendar);
    const leave = (): void => {
      poll.followers.delete(calendar);
      if (poll.followers.size > 0) return;
      // A later stream starts a new poll, since its caller may have lost access meanwhile.
      removePoll(key, poll);
      poll.idleController.abort();
    };
    poll.followers.add(calendar);
    if (endSignal.aborted) leave();
    else endSignal.addEventListener('abort', leave, { once: true });
    await poll.initialSync.catch(rethrowReadError({ calendarPaths: paths }));
    calendar.token = poll.token;
  };
}

/** Reads whether there are changes since a sync token. An expired token counts as a change, since changes may have been missed. */
async function readChangesSince(client: UpstreamClient, viewer: Viewer, calendarId: string, token: string) {
  try {
    return await syncCalendar(client, viewer, calendarId, token);
  } catch (error) {
    if (!isTokenExpired(error)) throw error;
    return { ...(await syncCalendar(client, viewer, calendarId, undefined)), hasChanges: true };
  }
}

const isTokenExpired = (error: unknown): boolean => isRefusal(error, 400, 410);

/** Maximum number of entries of a page (Google's limit), and of pages of a list. */
const [maxPageSize, maxPages] = [2500, 400];

/** Reads a list to its last page, which has the next sync token. */
async function syncCalendar(
  client: UpstreamClient,
  viewer: Viewer,
  calendarId: string,
  syncToken: string | undefined,
) {
  let hasChanges = false;
  let pageToken: string | undefined;
  for (let pageCount = 0; pageCount < maxPages; pageCount += 1) {
    const call = {
      apiMethod: 'events.list',
      path: toEventPath(calendarId),
      query: {
        maxResults: maxPageSize,
        syncToken,
        pageToken,
        fields: `nextPageToken,nextSyncToken${syncToken === undefined ? '' : ',items(id)'}`,
      },
    } as const;
    // Each page has its own retry budget, since there may be many.
    const { items, nextPageToken, nextSyncToken } = await client.call(call, { viewer, request: {} });
    hasChanges ||= syncToken !== undefined && Array.isArray(items) && items.length > 0;
    if (typeof nextSyncToken === 'string') return { hasChanges, token: nextSyncToken };
    if (typeof nextPageToken !== 'string') break;
    pageToken = nextPageToken;
  }
  throw serviceUnavailableError('The calendar service returns no sync token for this calendar.');
}

/** Minimum pause between two events of a stream; faster changes are coalesced. */
const minEventPauseMs = 200;

/** Creates the streams of calendar changes, by polling. Stream events have the sync token of their calendar as id. */
export function createCalendarStreams({
  client,
  tools: { clock },
  pollSeconds,
}: CalendarDependencies): Pick<EventService, 'followCalendar' | 'followCalendars'> {
  const followChanges = createCalendarPolls(client, pollSeconds);

  /** Starts to follow calendars. Throws if the viewer may not read one. */
  async function openCalendars(
    viewer: Viewer,
    requestedCalendars: readonly (readonly [id: string, path: Path])[],
    ended: AbortSignal,
  ): Promise<{ readonly calendars: FollowedCalendar[]; readonly wakeSignal: WakeSignal }> {
    const wakeSignal = createWakeSignal();
    const calendars = toFollowedCalendars(viewer, requestedCalendars, wakeSignal.wake);
    const failureController = new AbortController();
    const endSignal = AbortSignal.any([ended, failureController.signal]);
    setMaxListeners(0, endSignal); // each calendar adds a listener
    const results = await Promise.allSettled(calendars.map((calendar) => followChanges(calendar, endSignal)));
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    if (errors.length === 0) return { calendars, wakeSignal };
    failureController.abort();
    const missingPaths = errors.flatMap((error) =>
      error instanceof AppError && error.code === 'NOT_FOUND' ? error.issues.map(({ path }) => path) : [],
    );
    if (missingPaths.length > 0) throw calendarNotFound(missingPaths);
    throw errors[0] as Error;
  }

  /** Whether changes follow a sync token, or may follow. */
  const mayHaveChanges = (viewer: Viewer, calendarId: string, token: string): Promise<boolean> =>
    readChangesSince(client, viewer, calendarId, token).then(
      ({ hasChanges }) => hasChanges,
      () => true,
    );

  return {
    async followCalendar(viewer, { calendarId }, { lastEventId, endSignal }) {
      const namedCalendars = [[calendarId, ['calendarId']]] as const;
      const { calendars, wakeSignal } = await openCalendars(viewer, namedCalendars, endSignal);
      for (const calendar of calendars)
        calendar.hasChange ||=
          lastEventId !== undefined && (await mayHaveChanges(viewer, calendarId, lastEventId));
      return streamEvents(calendars, endSignal, wakeSignal, ({ id, token, error }) => {
        if (error) throw error as Error;
        return { ...(isHeaderValue(token) && { id: token }), value: createCalendarChange(id, clock) };
      });
    },

    async followCalendars(viewer, { calendarIds }, { endSignal }) {
      requireValid(calendarCountIssues(calendarIds.length));
      const namedCalendars = calendarIds.map((id, index) => [id, ['calendarIds', index]] as const);
      const { calendars, wakeSignal } = await openCalendars(viewer, namedCalendars, endSignal);
      for (const calendar of calendars) calendar.hasChange = true;
      return streamEvents(calendars, endSignal, wakeSignal, ({ id, error }) => {
        if (!error) return { value: createCalendarChange(id, clock) };
        // An invalid bearer token ends the stream for all calendars.
        if (!(error instanceof AppError) || error.code === 'UNAUTHENTICATED') throw error as Error;
        return { value: error };
      });
    },
  };
}

/** Whether a sync token can be the id of a stream event, which clients send in a header. */
const isHeaderValue = (text: string): boolean => /^[\x21-\x7e]+$/.test(text);

/** Merges requested ids of the same calendar. */
function toFollowedCalendars(
  viewer: Viewer,
  requestedCalendars: readonly (readonly [id: string, path: Path])[],
  wake: () => void,
): FollowedCalendar[] {
  const calendars = new Map<string, FollowedCalendar>();
  for (const [requestedId, path] of requestedCalendars) {
    const id = toPublicCalendarId(requestedId, viewer);
    const existingCalendar = calendars.get(id);
    if (existingCalendar) existingCalendar.paths.push(path);
    else calendars.set(id, { viewer, id, requestedId, paths: [path], token: '', hasChange: false, wake });
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
