import { occurrencesOf, type Occurrences } from '../event/recurrence/occurrences.ts';
import { datesOf, partsOf, untilOf } from '../event/recurrence/recurrence-set.ts';
import { readRule } from '../event/recurrence/rule.ts';
import { clockOf } from '../event/time/zone-clock.ts';
import { writtenTime, type TimesLine, type When } from './calendar-times.ts';
import { contentLine } from './content-lines.ts';
import type { ToldEvent } from './receiver-view.ts';

const tenYears = 3653 * 86_400_000;
/** Of more starts, those that an EXRULE excludes are not looked for. */
const mostStarts = 20_000;
const pageSize = 1000;

/** The last start of a series for which its lines must hold: of endless ones, in ten years. */
export const lastStartOf = (event: ToldEvent, start: When, now: number): number =>
  occurrencesOf(event).last() ?? Math.max(start.at, now) + tenYears;

/** The start of a series as a local time; of two equal ones the first, which is an hour too early for the second. */
export function seriesStart({ at, zone }: When): When {
  if (zone === undefined) return { at };
  const clock = clockOf(zone);
  return { at: clock.toInstant(clock.toLocal(at)), zone };
}

/**
 * The rules of a series as RFC 5545 has them, and as its instances are: none is before the start, and all are as long as
 * the event. EXRULE is of RFC 2445: EXDATEs stand for it.
 */
export function recurrenceLines(
  event: ToldEvent,
  start: When,
  now: number,
  excluded: readonly When[],
): (string | TimesLine)[] {
  const { zone = 'UTC' } = start;
  const isDay = start.zone === undefined;
  const lines = event.recurrence.map(partsOf).map((line) => ({ ...line, name: line.name.toUpperCase() }));
  const datesIn = (kind: string): When[] =>
    lines
      .filter(({ name }) => name === kind)
      .flatMap(({ parameters, value }) => datesOf(parameters, value, zone))
      .map((date) =>
        isDay ? { at: date.local } : { at: clockOf(date.zone).toInstant(date.local), zone: date.zone },
      );
  const local = seriesStart(start);
  const [insteadOf, moved] = local.at === start.at ? [[], []] : [[local], [start]];
  const rules = lines.filter(({ name, value }) => name === 'RRULE' && readRule(value) !== undefined);
  return [
    ...rules.map(({ value }) => contentLine('RRULE', writtenRule(value, zone, isDay))),
    { name: 'RDATE', times: distinct([...moved, ...datesIn('RDATE').filter(({ at }) => at >= start.at)]) },
    {
      name: 'EXDATE',
      times: distinct([
        ...insteadOf,
        ...datesIn('EXDATE'),
        ...excludedByRule(event, start, now),
        ...excluded,
      ]),
    },
  ];
}

/** FREQ comes first; UNTIL is a day where the start is one, else a time in UTC. */
function writtenRule(value: string, zone: string, isDay: boolean): string {
  const parts = value
    .toUpperCase()
    .replace(/[^A-Z0-9=;,+-]/g, '')
    .split(';')
    .map((part) => {
      if (!part.startsWith('UNTIL=')) return part;
      const until = writtenTime(untilOf(part.slice('UNTIL='.length), clockOf(zone)));
      return `UNTIL=${isDay ? until.slice(0, 8) : `${until}Z`}`;
    });
  return [
    ...parts.filter((part) => part.startsWith('FREQ=')),
    ...parts.filter((part) => !part.startsWith('FREQ=')),
  ].join(';');
}

function excludedByRule(event: ToldEvent, start: When, now: number): When[] {
  const others = event.recurrence.filter((line) => partsOf(line).name.toUpperCase() !== 'EXRULE');
  if (others.length === event.recurrence.length) return [];
  const all = { ...event, recurrence: others };
  const starts = startsOf(occurrencesOf(all), lastStartOf(all, start, now));
  const kept = new Set(startsOf(occurrencesOf(event), Math.max(start.at, ...starts.slice(-1))));
  return starts.filter((at) => !kept.has(at)).map((at) => ({ at, zone: start.zone }));
}

function startsOf(occurrences: Occurrences, last: number): number[] {
  const found: number[] = [];
  for (let more = true; more && found.length < mostStarts;) {
    const page = occurrences.between((found.at(-1) ?? -Infinity) + 1, last + 1, pageSize);
    found.push(...page.starts);
    more = page.more;
  }
  return found;
}

const distinct = (times: readonly When[]): When[] => [
  ...new Map(times.map((when) => [when.at, when])).values(),
];
