import { zoneSpelling } from '../../calendar/zone-spelling.ts';
import { clockOf } from '../time/zone-clock.ts';
import { dayMs } from './calendar-days.ts';
import { originalAt } from './instance-id.ts';
import { occurrencesOf } from './occurrences.ts';
import { zoneOf } from './recurrence-set.ts';
import type { TimeTools } from './stored-lines.ts';

/** Work of a look for occurrences on single days, at most in all. */
const maxWorkUnits = 20_000;

export const timeTools: TimeTools = {
  spelled: zoneSpelling,
  startsOn({ start, recurrence }, days, most) {
    const clock = clockOf(zoneOf(start));
    const occurrences = occurrencesOf({ start, recurrence: Object.freeze([...recurrence]) });
    const starts: string[] = [];
    let work = 0;
    for (const day of [...days].sort()) {
      const midnight = Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`);
      const found = occurrences.between(
        clock.earliest(midnight),
        clock.earliest(midnight + dayMs),
        most - starts.length + 1,
      );
      for (const instant of found.starts) starts.push(originalAt(instant, false));
      work += found.work;
      if (starts.length > most || found.more || work > maxWorkUnits) return undefined;
    }
    return starts;
  },
};
