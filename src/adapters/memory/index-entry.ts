import { storedOf, type StoredEvent } from '../../event/model/record.ts';
import type { CalendarEntry, Span } from '../../event/projection/projection.ts';
import type { Logged } from './change-log.ts';

/** What of an entry is as it was worked out last. */
export type Shown = Pick<
  CalendarEntry,
  'record' | 'series' | 'cancelled' | 'recurs' | 'along' | 'updated' | 'openUpdated' | 'viewers'
>;

/** An event on the calendar; entries change in place. */
export interface IndexEntry extends Shown, Logged {
  position: number;
  span: Span;
  /** Those who see only what guests see from whom the others are hidden. */
  hiddenFrom: ReadonlySet<string>;
  /** The number of the last change that they see too. */
  openChange: number;
  /** The number of the last change while it was a series. */
  seriesChange: number;
}

/** What is handed out of an entry, which itself changes in place. */
export const storedIn = ({ record, series }: IndexEntry): StoredEvent => storedOf(record, series);
