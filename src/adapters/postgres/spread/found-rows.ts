import type { Row } from '../database.ts';
import { holderOn, partsOf, recordsIn, type Asked, type Standing, type Walked } from './walk-state.ts';

/** The rows that one statement would have found (`load-statement.ts`). */
export function rowsOf(asked: Asked, walked: Walked): Row[] {
  const { ids } = asked;
  const { calendarId, looked, guests } = partsOf(asked, walked);
  const calendar = calendarId === undefined ? undefined : walked.calendars.get(calendarId);
  const holder = holderOn(looked, ids, walked);
  const here = new Map<string, Standing>([
    ...looked.places,
    ...(holder ? [[ids.event, holder] as const] : []),
  ]);
  const series = ids.series === undefined ? undefined : looked.places.get(ids.series);
  return [
    ...(calendar ? [calendar] : []),
    ...[...here].map(([eventId, { key, seriesKey }]): Row => ({
      kind: 'here',
      a: eventId,
      b: key,
      c: seriesKey,
    })),
    ...looked.uids.map(({ key }): Row => ({ kind: 'uid', a: key })),
    ...guests.map((part): Row => ({
      kind: 'guest',
      a: part.guest,
      b: part.calendarId,
      c: holderOn(part.looked, ids, walked)?.key ?? null,
    })),
    ...guests.flatMap((part): Row[] => {
      const there = ids.series === undefined ? undefined : part.looked.places.get(ids.series);
      return there ? [{ kind: 'series there', a: part.guest, b: there.key }] : [];
    }),
    ...(series && !holder ? [{ kind: 'exceptions', n: walked.counts.get(series.key) ?? 0 }] : []),
    ...recordsIn(asked, walked),
    ...[...walked.zones.values()],
    ...walked.others,
  ];
}
