import { instantAt, offsetOf, walk, type WalkerRule } from './calendar-walker.ts';
import type { Answer } from './dateutil.ts';
import { readTime, writeTime, type RecurrenceSet } from './recurrence-sets.ts';

const day = 86_400_000;

/** The occurrences of a set by a walk over all days, with the same decisions as the gateway's. */
export function walked({ start, zone, lines, end }: RecurrenceSet): Answer {
  const isDay = zone === null;
  const toInstant = (local: number, of = zone): number => (of === null ? local : instantAt(local, of));
  const first = readTime(start);
  const local = first + (isDay ? 0 : offsetOf(first, zone));
  const before = toInstant(Date.parse(`${end}Z`));
  // Times behind an end that the clocks skip may come before it.
  const limit =
    Date.parse(`${end}Z`) +
    (isDay ? 0 : Math.abs(offsetOf(before + day, zone) - offsetOf(before - day, zone)));
  let ended = true;
  const rule = (value: string, counts: boolean): number[] => {
    const parts = Object.fromEntries(value.split(';').map((part) => part.split('=') as [string, string]));
    const found = walk(ruleOf(parts), local, limit);
    const count =
      parts.COUNT === undefined ? Infinity : Number(parts.COUNT) - (counts && found[0] !== local ? 1 : 0);
    const last = parts.UNTIL === undefined ? Infinity : readTime(parts.UNTIL);
    if (counts) ended &&= found.length >= count || last < before;
    return found
      .slice(0, Math.max(0, count))
      .map((moment) => toInstant(moment))
      .filter((moment) => moment <= last);
  };
  const dates = (parameters: string, value: string): number[] => {
    const named = /TZID=([^;]+)/.exec(parameters)?.[1] ?? zone;
    return value
      .split(',')
      .map((text) => (text.endsWith('Z') ? readTime(text) : toInstant(readTime(text), named)));
  };
  const [included, excluded] = [new Set([first]), new Set<number>()];
  for (const line of lines) {
    const [, name = '', parameters = '', value = ''] = /^(\w+)([^:]*):(.*)$/.exec(line) ?? [];
    const moments = name.endsWith('RULE') ? rule(value, name === 'RRULE') : dates(parameters, value);
    for (const moment of moments) (name.startsWith('EX') ? excluded : included).add(moment);
  }
  const starts = [...included]
    .filter((moment) => !excluded.has(moment) && moment >= first && moment < before)
    .sort((one, other) => one - other);
  return {
    starts: starts.map((moment) => writeTime(moment, isDay)),
    before: writeTime(before, false),
    ended: ended && Math.max(...included) < before,
  };
}

function ruleOf({ FREQ, WKST, INTERVAL, BYDAY, ...rest }: Record<string, string>): WalkerRule {
  const lists = Object.entries(rest)
    .filter(([name]) => name.startsWith('BY'))
    .map(([name, list]) => [
      name,
      list.split(',').map((text) => (name === 'BYSECOND' ? Math.min(59, Number(text)) : Number(text))),
    ]);
  return {
    FREQ: FREQ as WalkerRule['FREQ'],
    ...(WKST && { WKST }),
    ...(INTERVAL && { INTERVAL: Number(INTERVAL) }),
    ...(BYDAY && { BYDAY: BYDAY.split(',') }),
    ...Object.fromEntries(lists),
  };
}
