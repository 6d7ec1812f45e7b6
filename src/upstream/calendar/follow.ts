import { setTimeout as pause } from 'node:timers/promises';
import type { Viewer } from '../../access/permissions.ts';
import { noCalendar } from '../../calendar/calendar.access.ts';
import { AppError, invalidInput, type Path } from '../../core/kernel/errors.ts';
import { longestRestMs, type Streamed, type StreamRequest } from '../../core/runtime/stream.ts';
import { createWakeSignal, type WakeSignal } from '../../core/runtime/wake-signal.ts';
import type { EventService } from '../../event/event.service.ts';
import { countIssues } from '../../event/list/calendar-count.ts';
import type { CalendarChange } from '../../event/list/follow.ts';
import { calendarTold } from './own-calendar.ts';
import { readFault } from './read-faults.ts';
import type { UpstreamCalendarParts } from './service-parts.ts';
import { createCalendarWatch } from './watch.ts';

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
