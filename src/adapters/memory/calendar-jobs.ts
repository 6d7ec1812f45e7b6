import type { CalendarJob, StartedJob, WantedJob } from '../../calendar/calendar.store.ts';
import type { Clock } from '../../core/runtime/clock.ts';

interface Waiting extends StartedJob {
  dueAt: number;
  progress?: string;
}

/** Jobs that changes of calendars left, in the memory of this process. */
export function createCalendarJobs(clock: Clock) {
  const waiting = new Map<string, Waiting>();
  const keyOf = ({ kind, calendarId }: CalendarJob): string => JSON.stringify([calendarId, kind]);

  return {
    add: (job: CalendarJob): void => void waiting.set(keyOf(job), { job, leftAt: clock(), dueAt: clock() }),

    claim(leaseMs: number, { calendarId, headStartMs = 0 }: WantedJob = {}): StartedJob | undefined {
      const now = clock();
      const isReady = ({ dueAt, leftAt, progress }: Waiting): boolean =>
        dueAt <= now && (progress !== undefined || dueAt > leftAt || leftAt <= now - headStartMs);
      const due = [...waiting.values()].filter(
        (one) => isReady(one) && (calendarId === undefined || one.job.calendarId === calendarId),
      );
      const [first] = due.sort((a, b) => a.dueAt - b.dueAt);
      if (!first) return undefined;
      first.dueAt = now + leaseMs;
      const { dueAt: _dueAt, ...started } = first;
      return started;
    },

    postpone(job: CalendarJob, progress: string | undefined, delayMs: number): void {
      const found = waiting.get(keyOf(job));
      if (found) Object.assign(found, { progress, dueAt: clock() + delayMs });
    },

    end: (job: CalendarJob): void => void waiting.delete(keyOf(job)),

    /** Of a calendar that is there no more, or there again. */
    endAll(calendarId: string): void {
      for (const [key, { job }] of waiting) if (job.calendarId === calendarId) waiting.delete(key);
    },
  };
}
