import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { Connection, Row } from '../database.ts';
import { entryBefore } from '../../../event/projection/projection.ts';
import { rowOf, type EntryRow } from './entry-rows.ts';
import { recordFrom } from './event-load.ts';
import { moveEntries } from './entry-writes.ts';
import { dailyEntries, type DailyPage } from './daily-entries.ts';

/** Moves the days of a calendar to another zone. The calendar is locked: nobody writes entries by the old one meanwhile. */
export async function moveDays(connection: Connection, calendarId: string, zone: string): Promise<void> {
  for (let behind: string | undefined = ''; behind !== undefined;) {
    const page: DailyPage = await dailyEntries(connection.runAll, calendarId, behind);
    await eventLoop.enter();
    if (page.entries.length > 0)
      await connection.run([
        moveEntries(
          calendarId,
          page.entries.map((row) => moved(row, calendarId, zone)),
        ),
      ]);
    behind = page.behind;
  }
}

function moved({ event_id: id, body, series }: Row, calendarId: string, zone: string): EntryRow {
  const eventId = id as string;
  return {
    ...rowOf(
      entryBefore(
        recordFrom(body),
        series === null ? undefined : recordFrom(series),
        { calendarId, eventId },
        zone,
      ),
    ),
    event_id: eventId,
  };
}
