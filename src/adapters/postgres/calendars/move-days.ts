import { eventLoop } from '../../../core/runtime/event-loop.ts';
import type { Connection, Row } from '../database.ts';
import { entryBefore } from '../../../event/projection/projection.ts';
import { rowOf, type EntryRow } from '../events/entry-rows.ts';
import { recordFrom } from '../events/event-load.ts';
import { moveEntries } from '../events/entry-statements.ts';
import { dailyEntries, type DailyPage } from '../spread/daily-entries.ts';
import { dailyIn } from './calendar-load.ts';

const rowsAtOnce = 250;

/** The next entries that begin or end with a day, with their records. */
async function nextDays({ run }: Connection, calendarId: string, behind: string): Promise<DailyPage> {
  const entries = await run([
    {
      name: 'days',
      text: `SELECT p.event_id, e.body, s.body AS series ${dailyIn('$1')} AND p.event_id > $2 ORDER BY p.event_id LIMIT ${rowsAtOnce}`,
      values: [calendarId, behind],
    },
  ]);
  return { entries, behind: entries.length < rowsAtOnce ? undefined : (entries.at(-1)?.event_id as string) };
}

/** Moves the days of a calendar to another zone. The calendar is locked: nobody writes entries by the old one meanwhile. */
export async function moveDays(
  connection: Connection,
  isSpread: boolean,
  calendarId: string,
  zone: string,
): Promise<void> {
  for (let behind: string | undefined = ''; behind !== undefined;) {
    const page: DailyPage = await (isSpread ? dailyEntries : nextDays)(connection, calendarId, behind);
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
