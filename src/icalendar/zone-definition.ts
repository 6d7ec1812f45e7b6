import { occurrencesOf } from '../recurrence/occurrences.ts';
import { formatCompact, parseLocal, valueFormOf } from '../recurrence/lines.ts';
import { type Component, type ContentLine, rawValueOf, readProperty } from './parse.ts';

/** Offsets from UTC that a VTIMEZONE defines. */
export interface ZoneDefinition {
  /** Name of the zone in the IANA database, if the definition says it (X-LIC-LOCATION). */
  readonly location: string | undefined;
  /** Offset (ms) at a local time, which is in epoch milliseconds as if in UTC. */
  readonly offsetAt: (local: number) => number;
}

interface Onset {
  /** Local time by the offset before it. */
  readonly local: number;
  readonly offset: number;
  readonly offsetBefore: number;
}

/** End of the years for which onsets are computed: series of today last ten years beyond it. */
const lastOnset = Date.UTC(2100, 0, 1);
const maxOnsets = 1000;

/** Reads a VTIMEZONE; undefined if it defines no offsets, or by rules that are not yearly. */
export function readZoneDefinition({ lines, components }: Component): ZoneDefinition | undefined {
  const observances = components.map(onsetsOf);
  const onsets: Onset[] = [];
  for (const observance of observances) {
    if (!observance) return undefined;
    onsets.push(...observance);
  }
  onsets.sort((a, b) => a.local - b.local);
  const [first] = onsets;
  if (!first) return undefined;
  const location = lines.find(({ name }) => name === 'X-LIC-LOCATION');
  return {
    location: location && rawValueOf(location).trim(),
    offsetAt(local) {
      const last = onsets.findLast((onset) => onset.local <= local);
      return last ? last.offset : first.offsetBefore;
    },
  };
}

/** Onsets of a STANDARD or DAYLIGHT component. */
function onsetsOf({ lines }: Component): Onset[] | undefined {
  const linesOf = (name: string): ContentLine[] => lines.filter((line) => line.name === name);
  const valueOf = (name: string): string => linesOf(name).map(rawValueOf)[0]?.trim() ?? '';
  const [offset, offsetBefore] = [parseOffset(valueOf('TZOFFSETTO')), parseOffset(valueOf('TZOFFSETFROM'))];
  const startText = valueOf('DTSTART');
  const rules = linesOf('RRULE').map(rawValueOf);
  if (offset === undefined || offsetBefore === undefined || valueFormOf(startText) === null) return undefined;
  if (!rules.every((rule) => /(?:^|;)FREQ=YEARLY(?:;|$)/i.test(rule))) return undefined;
  const start = parseLocal(startText);
  const starts = rules.flatMap(
    (rule) =>
      occurrencesOf({
        start: { dateTime: new Date(start).toISOString(), timeZone: 'UTC' },
        recurrence: [`RRULE:${withLocalUntil(rule, offsetBefore)}`],
      }).between(-Infinity, lastOnset, maxOnsets).starts,
  );
  const dates = linesOf('RDATE').flatMap((line) => readProperty(line)?.values ?? []);
  const listed = dates.flatMap((date) => (typeof date === 'string' ? [Date.parse(`${date}Z`)] : []));
  return [...new Set([start, ...starts, ...listed])]
    .filter((local) => !Number.isNaN(local))
    .map((local) => ({ local, offset, offsetBefore }));
}

/** UNTIL of an observance is in UTC, while its starts are local. */
const withLocalUntil = (rule: string, offset: number): string =>
  rule.replace(
    /(?<=UNTIL=)(\d{8}T\d{6})Z/i,
    (_match, time: string) => `${formatCompact(parseLocal(time) + offset)}Z`,
  );

/** Parses an offset such as +0130 in milliseconds. */
function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const totalSeconds = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -totalSeconds : totalSeconds) * 1000;
}
