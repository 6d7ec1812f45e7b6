import { Temporal } from 'temporal-polyfill';
import { Refused } from '../api/refusal.ts';

/** By how much the start of a series moves on the clocks of its zone, and over how many midnights. */
export interface Shift {
  readonly by: Temporal.Duration;
  readonly days: number;
  readonly zone: string;
}

/**
 * The lines of a series whose start moves: what they say of moments (UNTIL, EXDATE, RDATE) and of days of the week moves along, so
 * that the same events take place. Throws where a rule cannot be moved by simple means, rather than to store another series.
 */
export const movedRule = (lines: readonly string[], shift: Shift): string[] =>
  lines.map((line) => movedLine(line, shift));

const cannotMove = (): Refused =>
  new Refused(
    'cannot',
    'The rule of this series names its days or hours in a way that cannot be moved here. Change this event alone, or keep its time.',
  );

function movedLine(line: string, shift: Shift): string {
  const colon = line.indexOf(':');
  const [name, value] = [line.slice(0, colon), line.slice(colon + 1)];
  if (/^(RRULE|EXRULE)/i.test(name)) return `${name}:${movedParts(value, shift)}`;
  if (/VALUE=PERIOD/i.test(name)) throw cannotMove();
  return `${name}:${value
    .split(',')
    .map((moment) => movedMoment(moment, shift))
    .join(',')}`;
}

function movedParts(rule: string, shift: Shift): string {
  const parts = new Map(
    rule.split(';').map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=');
      return [name.toUpperCase(), value];
    }),
  );
  const until = parts.get('UNTIL');
  if (until !== undefined) parts.set('UNTIL', movedMoment(until, shift));
  for (const name of parts.keys()) if (!mayStay(name, shift)) throw cannotMove();
  const byDay = parts.get('BYDAY');
  if (byDay !== undefined && shift.days !== 0)
    parts.set('BYDAY', movedDays(byDay.toUpperCase().split(','), parts, shift));
  return [...parts].map(([name, value]) => `${name}=${value}`).join(';');
}

/** Whether a part of a rule is right for the moved start too, or is moved below. */
function mayStay(name: string, { days }: Shift): boolean {
  if (['BYHOUR', 'BYMINUTE', 'BYSECOND'].includes(name)) return false;
  return days === 0 || !name.startsWith('BY') || name === 'BYDAY';
}

const week = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Weeks that are left out count from a Monday: there, a set of days does not move over a Sunday as one. */
function movedDays(days: readonly string[], parts: ReadonlyMap<string, string>, shift: Shift): string {
  const weekly =
    parts.get('FREQ')?.toUpperCase() === 'WEEKLY' &&
    ((parts.get('INTERVAL') ?? '1') === '1' || days.length === 1);
  if (!weekly || !days.every((day) => week.includes(day))) throw cannotMove();
  return days.map((day) => week.at((week.indexOf(day) + shift.days) % 7)).join(',');
}

/** A date, a local time or one in UTC, as iCalendar writes them. */
function movedMoment(text: string, { by, days, zone }: Shift): string {
  try {
    if (text.length === 8) return basic(Temporal.PlainDate.from(text).add({ days }));
    if (!text.endsWith('Z')) return basic(Temporal.PlainDateTime.from(text).add(by));
    const local = Temporal.Instant.from(text).toZonedDateTimeISO(zone).toPlainDateTime();
    return basic(local.add(by).toZonedDateTime(zone).toInstant());
  } catch {
    throw cannotMove();
  }
}

const basic = (moment: { toString: () => string }): string =>
  moment.toString().replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
