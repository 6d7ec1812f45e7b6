import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { Connection, Row } from '../database.ts';
import { entryBefore } from '../../../event/projection/projection.ts';
import { rowOf, type EntryRow } from '../events/entry-rows.ts';
import { recordFrom } from '../events/event-load.ts';
import { dailyIn } from './calendar-load.ts';
import { moveEntries } from '../events/entry-statements.ts';

const rowsAtOnce = 250;
/** Moves the days of a calendar to another zone. The calendar is locked: nobody writes entries by the old one meanwhile. */
export async function moveDays({ run }: Connection, calendarId: string, zone: string): Promise<void> {
  for (let behind = ''; ;) {
    const rows = await run([{ name: 'days', text: `SELECT p.event_id, e.body, s.body AS series ${dailyIn('$1')} AND p.event_id > $2 ORDER BY p.event_id LIMIT ${rowsAtOnce}`, values: [calendarId, behind] }]);
    await eventLoop.enter();
    if (rows.length > 0) await run([moveEntries(calendarId, rows.map((row) => moved(row, calendarId, zone)))]);
    if (rows.length < rowsAtOnce) return;
    behind = rows.at(-1)?.event_id as string;
  }
}

function moved({ event_id: id, body, series }: Row, calendarId: string, zone: string): EntryRow {
  const eventId = id as string;
  return { ...rowOf(entryBefore(recordFrom(body), series === null ? undefined : recordFrom(series), { calendarId, eventId }, zone)), event_id: eventId };
}
