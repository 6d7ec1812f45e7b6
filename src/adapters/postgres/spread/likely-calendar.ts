import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import {
  findCalendars,
  findStatement,
  foundCalendar,
  type FoundCalendar,
} from '../calendars/calendar-load.ts';
import type { Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { queryEach } from './by-keys.ts';

/**
 * A calendar, and the rows of statements about the one that it was last time: in one round trip where it is that one. Which calendar
 * is an owner's stands on another shard than the calendar; where its id is the owner's address that need not be asked.
 */
export async function findLikely(
  database: Database,
  ref: CalendarRef,
  likely: string | undefined,
  next: readonly Statement[],
): Promise<[FoundCalendar | undefined, (readonly (readonly Row[])[])?]> {
  const owner = 'primaryOf' in ref ? lookupKey(addressKey(ref.primaryOf)) : undefined;
  const byOwner = owner === undefined || owner === likely ? undefined : primaryOf(owner);
  const id = owner === undefined ? ('id' in ref ? ref.id : undefined) : likely;
  if (id === undefined) return findCalendars(database, [ref]).then(([found]) => [found]);
  const answers = await queryEach(database, [
    ...(byOwner ? [byOwner] : []),
    findStatement([{ id }]),
    ...next,
  ]);
  const [[owned] = [], [row] = [], ...rows] = byOwner ? answers : [[], ...answers];
  const found = foundCalendar(row);
  const isThatOne =
    owner === undefined ||
    (byOwner
      ? owned?.calendar_id === id
      : found !== undefined && lookupKey(addressKey(found.record.owner)) === owner);
  return isThatOne ? [found, rows] : findCalendars(database, [ref]).then(([other]) => [other]);
}

const primaryOf = (owner: string): Statement => ({
  name: 'primary',
  text: 'SELECT calendar_id FROM primaries WHERE owner_key = $1',
  values: [owner],
});
