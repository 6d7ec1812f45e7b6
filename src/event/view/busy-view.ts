import type { AppError } from '../../core/kernel/errors.ts';

export interface BusyPeriod {
  /** RFC 3339. */
  readonly start: string;
  readonly end: string;
}

/** When a calendar's owner is busy, or why that cannot be told. */
export interface CalendarBusyView {
  /** As it was asked for. */
  readonly calendarId: string;
  readonly busy: readonly BusyPeriod[];
  readonly error: Pick<AppError, 'code' | 'reason' | 'message'> | null;
}
