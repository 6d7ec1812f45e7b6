import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import type { EventBody } from '../model/fields.ts';
import { orderOf } from '../time/time.ts';

type Series = Pick<EventBody, 'start' | 'end' | 'recurrence'>;

/** The starts of a series' occurrences, in epoch milliseconds and in order; days are counted as in UTC. */
export interface Occurrences {
  /** Those that start at or after `from` and before `before`: at most `limit`, and whether there are more. */
  between(from: number, before: number, limit: number): { readonly starts: readonly number[]; readonly more: boolean };
  has(start: number): boolean;
  /** The last one; undefined for a series that never ends. */
  last(): number | undefined;
}

const known = new WeakMap<object, Occurrences>();

/** The occurrences of a series by its rules (RFC 5545, section 3.8.5), its first start included. */
export function occurrencesOf(series: Series): Occurrences {
  const { recurrence } = series;
  const cached = recurrence && known.get(recurrence);
  if (cached) return cached;
  const found = createOccurrences(series);
  if (recurrence && Object.isFrozen(recurrence)) known.set(recurrence, found);
  return found;
}

/** When the last occurrence of a series ends; undefined for a series that never ends. */
export function lastEnd(series: Series): number | undefined {
  const last = occurrencesOf(series).last();
  const [start, end] = [series.start && orderOf(series.start), series.end && orderOf(series.end)];
  return last === undefined ? undefined : last + Math.max(0, (end ?? 0) - (start ?? 0));
}

function createOccurrences({ start, recurrence = [] }: Series): Occurrences {
  const first = start ? orderOf(start) : null;
  const zone = start?.timeZone ?? 'UTC';
  const day = start?.date !== undefined;
  const toLocal = (ms: number): number => day ? ms : Date.parse(`${Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDateTime().toString()}Z`);
  const toReal = (local: number): number => day ? local : Temporal.PlainDateTime.from(new Date(local).toISOString().slice(0, -1)).toZonedDateTime(zone).epochMilliseconds;
  const origin = toLocal(first ?? 0);
  const rules = recurrence.filter((l) => /^RRULE/i.test(l)).map((l) => l.replace(/^RRULE:/i, '').replace(/UNTIL=(\d{8})T(\d{6})Z/i, (_m, d: string, h: string) => {
    const u = Date.parse(`${d.slice(0,4)}-${d.slice(4,6)}-${d.slice(6)}T${h.slice(0,2)}:${h.slice(2,4)}:${h.slice(4)}Z`);
    return `UNTIL=${new Date(toLocal(u)).toISOString().slice(0,19).replace(/[-:]/g,'')}Z`;
  }).replace(/UNTIL=(\d{8})$|UNTIL=(\d{8});/i, (m) => m.includes(';') ? `${m.slice(0,14)}T235959Z;` : `${m}T235959Z`));
  const engines = rules.map((r) => new RRuleTemporal({ rruleString: r, dtstart: Temporal.Instant.fromEpochMilliseconds(origin).toZonedDateTimeISO('UTC') }));
  const ex = new Set(recurrence.filter((l) => /^EXDATE/i.test(l)).flatMap((l) => l.slice(l.indexOf(':') + 1).split(',').map((v) => {
    const z = /TZID=([^;:]+)/i.exec(l)?.[1] ?? zone;
    const iso = `${v.slice(0,4)}-${v.slice(4,6)}-${v.slice(6,8)}`;
    if (v.length === 8) return Date.parse(`${iso}T00:00:00Z`);
    const t = `${iso}T${v.slice(9,11)}:${v.slice(11,13)}:${v.slice(13,15)}`;
    return v.endsWith('Z') ? Date.parse(`${t}Z`) : Temporal.PlainDateTime.from(t).toZonedDateTime(z).epochMilliseconds;
  })));
  const list = (from: number, before: number, limit: number): number[] => {
    const found = new Set<number>();
    if (first !== null && first >= from && first < before) found.add(first);
    for (const engine of engines) {
      let n = 0;
      let at: Date | undefined = new Date(Math.max(origin - 1, Math.max(-8.64e15, toLocalSafe(from)) - 86400000 * 2));
      while (n < limit + 5) {
        const next = engine.next(at, false);
        if (!next) break;
        at = new Date(next.epochMilliseconds);
        const real = toReal(next.epochMilliseconds);
        if (real >= before) break;
        if (real >= from) { found.add(real); n += 1; }
      }
    }
    return [...found].filter((s) => !ex.has(s)).sort((a, b) => a - b);
  };
  const toLocalSafe = (ms: number): number => (Number.isFinite(ms) && Math.abs(ms) < 8e15 ? toLocal(ms) : ms === -Infinity ? origin : ms);
  return {
    between: (from, before, limit) => { const l = list(from, before, limit + 1); return { starts: l.slice(0, limit), more: l.length > limit }; },
    has: (s) => list(s, s + 1, 1).includes(s),
    last: () => (rules.every((r) => /UNTIL|COUNT/i.test(r)) ? list(-Infinity, Infinity, 2000).at(-1) : undefined),
  };
}
