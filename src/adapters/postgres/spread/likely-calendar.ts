import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import { findCalendars, findStatement, foundCalendar, type FoundCalendar } from '../calendars/calendar-load.ts';
import type { Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { queryEach } from './by-keys.ts';

/**
 * A calendar, and the rows of statements about the one that it was last time: in one round trip where it is that one. Which calendar
 * is an owner's stands on another shard than the calendar.
 */
export async function findLikely(database: Database, ref: CalendarRef, likely: string | undefined, next: readonly Statement[]): Promise<[FoundCalendar | undefined, (readonly (readonly Row[])[])?]> {
  const byOwner = 'primaryOf' in ref ? primaryOf(ref.primaryOf) : undefined;
  const id = byOwner ? likely : 'id' in ref ? ref.id : undefined;
  if (id === undefined) return findCalendars(database, [ref]).then(([found]) => [found]);
  const answers = await queryEach(database, [...(byOwner ? [byOwner] : []), findStatement([{ id }]), ...next]);
  const [[owned] = [], [row] = [], ...rows] = byOwner ? answers : [[], ...answers];
  if (byOwner && owned?.calendar_id !== likely) return findCalendars(database, [ref]).then(([found]) => [found]);
  return [foundCalendar(row), rows];
}

const primaryOf = (owner: string): Statement => ({
  name: 'primary', text: 'SELECT calendar_id FROM primaries WHERE owner_key = $1', values: [lookupKey(addressKey(owner))],
});
