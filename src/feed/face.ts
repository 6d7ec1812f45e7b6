import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Caller } from '../access/permissions.ts';
import { type CalendarFeeds, feedPath } from '../calendar/calendar.feed.ts';
import { lowerCaseIdOf } from '../calendar/calendar.access.ts';
import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { serviceUnavailableError } from '../core/errors.ts';
import { includesEtag } from '../core/if-match.ts';
import { createRateLimiter, rateLimitedError } from '../core/runtime/limits.ts';
import type { EventStore } from '../event/event.store.ts';
import type { EventTools } from '../event/event.tools.ts';
import { readFeed } from '../event/list/feed-events.ts';
import { type Face, HttpError, type HttpRequest, type HttpResponse, statusByCode } from '../http/face.ts';
import type { Admission } from '../operations/context.ts';
import { toAppError } from '../operations/failure.ts';
import { writeFeed } from './write-feed.ts';

interface FeedDependencies {
  readonly feeds: CalendarFeeds;
  readonly store: EventStore;
  readonly tools: Pick<EventTools, 'model' | 'links' | 'clock'>;
  readonly admission: Pick<Admission, 'enterQueue'>;
}

/** Limits of each feed: its stored events with their bytes, and its responses. */
const limits = { maxEvents: 10_000, maxBytes: 10_000_000, maxResponsesPerHour: 60 } as const;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Time before today that a feed covers: a year, even with a leap day. */
const coveredPastMs = 366 * dayMs;
/** Time after the last event that VTIMEZONEs cover, as endless series do: ten years with three leap days. */
const coveredFutureMs = 3653 * dayMs;
/** Events that take as long to write as 1 unit of an operation's cost. */
const eventsPerCostUnit = 4;
/** Part of ETags. Raise it when the format of feeds changes, so that no cached feed is taken for the new one. */
const formatVersion = 1;

/** A feed can contain what only owners may see, so nothing shares or refers to it. */
const privateHeaders = { 'cache-control': 'private, no-cache', 'referrer-policy': 'no-referrer' } as const;

/** Creates the face that serves iCalendar feeds, to everybody who knows a feed's address. */
export function createFeedFace({ feeds, store, tools, admission }: FeedDependencies): Face {
  const { clock } = tools;
  const countResponse = createRateLimiter(limits.maxResponsesPerHour, clock, hourMs);

  async function execute(
    { path, headers }: HttpRequest,
    caller: Caller,
  ): Promise<HttpResponse<string | Readable>> {
    const { calendarId, secret } = parsePath(path);
    // The address may write the calendar's id in other letter case than the store.
    const ids = [calendarId, lowerCaseIdOf(calendarId)].filter((id) => id !== undefined);
    const states = await store.calendarStates(ids.map((id) => ({ id })));
    const state = states.find((candidate) => feeds.isSecretOf(candidate?.calendar, secret));
    if (!state) throw notFoundError();
    const { calendar, revision } = state;
    const waitSeconds = countResponse(calendar.feedSeed as string, 1);
    if (waitSeconds > 0) throw rateLimitedError(waitSeconds, tooManyResponsesMessage(waitSeconds));
    const now = clock();
    const coveredFrom = Math.floor(now / dayMs) * dayMs - coveredPastMs;
    const etag = etagOf(calendar, revision, coveredFrom);
    if (includesEtag(headers['if-none-match'], etag))
      return { status: 304, headers: { ...privateHeaders, etag }, body: '' };
    const measurement = await store.measureEvents(calendar.id, coveredFrom, {
      count: limits.maxEvents,
      bytes: limits.maxBytes,
    });
    if (measurement.count > limits.maxEvents || measurement.bytes > limits.maxBytes) throw tooLargeError();
    const releaseSlotAfter = await admission.enterQueue(Math.ceil(measurement.count / eventsPerCostUnit));
    releaseSlotAfter?.(caller.waitUntilSent?.() ?? Promise.resolve());
    // With the latest revision, the etag would match although some of its changes are not in this response.
    const safeRevision = await store.safeRevision(calendar.id, revision, undefined);
    const range = {
      from: Math.min(measurement.earliest, now),
      to: Math.max(measurement.latest, now) + coveredFutureMs,
    };
    const pieces = writeFeed(calendar, readFeed(store, calendar, coveredFrom, tools), range, now);
    return {
      status: 200,
      headers: {
        ...privateHeaders,
        'content-type': 'text/calendar; charset=utf-8',
        etag: etagOf(calendar, safeRevision, coveredFrom),
      },
      body: Readable.from(logErrors(pieces, caller), { objectMode: false }),
    };
  }

  return {
    routes: [{ path: `${feedPath}*`, methods: ['GET'], ignoresTokens: true, execute }],
    toErrorResponse(error, _request, { requestId, log, report }) {
      const { code, message, details } = toAppError(error, requestId, log);
      report.codes = [code];
      const { status, headers } =
        error instanceof HttpError ? error : { status: statusByCode[code], headers: {} };
      return {
        status,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'referrer-policy': 'no-referrer',
          ...headers,
          ...(details.retryAfter !== undefined && { 'retry-after': String(details.retryAfter) }),
        },
        body: `${message}\n`,
      };
    },
  };
}

/** Path of a feed below `feedPath`: the calendar's id, and the secret that opens the feed. */
const pathPattern = /^([^/]+)\/private-([^/]+)\/basic\.ics$/;

function parsePath(path: string): { readonly calendarId: string; readonly secret: string } {
  const [, calendarId, secret] = pathPattern.exec(path.slice(feedPath.length)) ?? [];
  if (calendarId === undefined || secret === undefined) throw notFoundError();
  return { calendarId: decodeURIComponent(calendarId), secret };
}

/** ETag of a feed: weak, since responses may be compressed. Zones change with ICU's data, and the first day with each day. */
const etagOf = ({ id, summary, timeZone }: CalendarRecord, revision: string, from: number): string =>
  `W/"${hash(
    'sha256',
    JSON.stringify([formatVersion, process.versions.tz, id, summary, timeZone, revision, from]),
    'base64url',
  )}"`;

/** Logs errors after the response has begun. They cut the connection, so that no client takes a part for the whole feed. */
async function* logErrors(pieces: AsyncIterable<string>, { log, requestId }: Caller): AsyncGenerator<string> {
  try {
    yield* pieces;
  } catch (err) {
    log.error({ err, requestId }, 'a calendar feed was cut');
    throw err;
  }
}

const notFoundError = (): HttpError =>
  new HttpError(
    404,
    'notFound',
    'There is no such calendar feed, or its address was reset. Ask its owner for the new one.',
  );

const tooManyResponsesMessage = (waitSeconds: number): string =>
  `A calendar feed can be read ${limits.maxResponsesPerHour} times an hour. Try again in ${waitSeconds} s.`;

const tooLargeError = () =>
  serviceUnavailableError(
    `This calendar is too large for a feed: it has more than ${limits.maxEvents} events of the last year and later ones, or more than ${limits.maxBytes / 1_000_000} MB of them.`,
    { retryAfter: dayMs / 1000 },
  );
