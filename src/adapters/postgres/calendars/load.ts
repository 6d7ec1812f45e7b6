import { type Read, sql, type Statement } from '../database.ts';
import { groupByKey } from '../../../core/json-values.ts';
import type { CalendarChangeState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import { lookupKey } from '../transaction.ts';
import { toEarlierRequest, findCreationCount, findRequest } from '../request-records.ts';
import { addressKey } from '../migrations/0004-visibility-and-addresses.ts';
import { countAllDayEntries } from '../events/all-day-entries.ts';
import {
  accessStatement,
  calendarByIdStatement,
  parseCalendar,
  calendarStatement,
} from '../find-calendars.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedCalendar {
  readonly state: CalendarChangeState;
  /** JSON text of the record as loaded: a write fails if the stored one differs. */
  readonly body: string | undefined;
  /** Number of the last change of a deleted calendar with the same id. */
  readonly earlierChanges: number | undefined;
}

const removedChangesStatement = (id: string): Statement =>
  sql`/* changes of removed calendar */ SELECT 'removed' AS kind, changes FROM removed_calendars WHERE id = ${lookupKey(id)}`;

/** Returns a row if the calendar belongs to an identity. Here, `addressKey` builds an SQL expression. */
const ownerCheckStatement = (id: string, identity: string): Statement => ({
  name: 'is owned',
  text: `SELECT FROM calendars WHERE id = $1 AND ${addressKey("body ->> 'owner'")} = $2`,
  values: [id, identity],
});

/** Loads the state of a change target, each row from its shard. */
export async function loadCalendar(
  read: Read,
  { calendar: ref, quotaKey, allDayCountRequest, request }: CalendarTarget,
  now: number,
): Promise<LoadedCalendar> {
  const identity = quotaKey ? lookupKey(quotaKey.identity) : '';
  const [[targetRow] = [], ...otherResults] = await read([
    calendarStatement(ref),
    ...('id' in ref ? [removedChangesStatement(ref.id)] : []),
    ...(quotaKey ? [findCreationCount('calendar', quotaKey), accessStatement(identity)] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rowsByKind = groupByKey(otherResults.flat(), ({ kind }) => kind as string);
  // `made` is the table that counts creations.
  const [removed, creationCount, requestRow] = ['removed', 'made', 'request'].map(
    (kind) => rowsByKind.get(kind)?.[0],
  );
  // The query by owner returns no body for a primary calendar of another shard.
  const isOnOtherShard = targetRow?.body === null;
  const [firstRows = [], ...otherOwnedRows] = await read([
    ...(isOnOtherShard ? [calendarByIdStatement(targetRow.id as string)] : []),
    ...(rowsByKind.get('access') ?? []).map(({ calendar_id: id }) =>
      ownerCheckStatement(id as string, identity),
    ),
  ]);
  const calendar = isOnOtherShard ? firstRows[0] : targetRow;
  const record = calendar && parseCalendar(calendar.body);
  const needsAllDayCount = allDayCountRequest && record && record.timeZone !== allDayCountRequest.zone;
  return {
    state: {
      calendar: record,
      wasRemoved: removed !== undefined,
      createdToday: (creationCount?.count ?? 0) as number,
      ownedCount: (isOnOtherShard ? otherOwnedRows : [firstRows, ...otherOwnedRows]).flat().length,
      allDayEventCount: needsAllDayCount
        ? await countAllDayEntries(read, record.id, allDayCountRequest.limit)
        : 0,
      earlierRequest: requestRow && toEarlierRequest(requestRow),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.changes as number | undefined,
  };
}
