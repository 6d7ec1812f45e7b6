import { grouped } from '../core/patch.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, instantOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';

const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const control = /[^\P{Cc}\t\n]/gu;
const loneSurrogate = /\p{Surrogate}/gu;

/** Cleans text that people wrote: `\n` alone as line breaks, no other control characters but tabs, valid UTF-8. */
export const cleaned = (text: string): string =>
  text.replace(lineBreak, '\n').replace(control, '').replace(loneSurrogate, '\ufffd');

/** Cleans text that people wrote, and puts it on one line. */
export const onOneLine = (text: string): string =>
  cleaned(text)
    .replace(/[\n\t]+/g, ' ')
    .trim();

/** An address as it stands in headers: what no address can hold is taken out. */
export const plainAddress = (address: string): string => cleaned(address).replace(/[\n\t]/g, '');

/** Lines of iCalendar objects (RFC 5545, section 3.1). */

export type Parameters = Readonly<Record<string, string | undefined>>;

const mostOctets = 75;
const inText: Readonly<Record<string, string>> = { '\\': '\\\\', ';': '\\;', ',': '\\,', '\n': '\\n' };
const inParameter: Readonly<Record<string, string>> = { '^': '^^', '"': "^'", '\n': '^n' };

/** A value of type TEXT. */
export const textValue = (text: string): string =>
  cleaned(text).replace(/[\\;,\n]/g, (character) => inText[character] as string);

/** By RFC 6868. */
function parameterValue(text: string): string {
  const value = cleaned(text).replace(/[\^"\n]/g, (character) => inParameter[character] as string);
  return /[:;,]/.test(value) ? `"${value}"` : value;
}

/** A line that is not folded yet; its value must be written already. */
export function contentLine(name: string, value: string, parameters: Parameters = {}): string {
  const written = Object.entries(parameters).map(([key, text]) =>
    text === undefined ? '' : `;${key}=${parameterValue(text)}`,
  );
  return `${name}${written.join('')}:${value}`;
}

export const textLine = (name: string, text: string): string => contentLine(name, textValue(text));

/** The address as a URI (RFC 6068). */
export function mailtoUri(address: string): string {
  const [local = '', domain = ''] = cleaned(address)
    .split(/@(?=[^@]*$)/)
    .map((part) => encodeURIComponent(part).replace(/%(?:2B|24)/g, decodeURIComponent));
  return `mailto:${local}@${domain}`;
}

export const component = (name: string, lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

export const printLines = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join('');

/** Folded between characters. */
function folded(line: string): string {
  if (line.length * 3 <= mostOctets) return line;
  const pieces: string[] = [];
  let [from, octets] = [0, 0];
  for (let at = 0; at < line.length;) {
    const point = line.codePointAt(at) as number;
    const size = octetsOf(point);
    if (octets + size > mostOctets) {
      pieces.push(line.slice(from, at));
      [from, octets] = [at, 1];
    }
    octets += size;
    at += point < 0x10000 ? 1 : 2;
  }
  return [...pieces, line.slice(from)].join('\r\n ');
}

/** In UTF-8. */
function octetsOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}

/** A day, in epoch milliseconds as in UTC, or a time with the zone in which it is told. */
export interface When {
  readonly at: number;
  /** Absent for a day. */
  readonly zone?: string;
}

/** A property whose value is one or more times. */
export interface TimesLine {
  readonly name: string;
  readonly times: readonly When[];
}

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59Z');

/** Times without a zone that is known here are told in UTC. */
export const knownZone = (zone = ''): string => (isTimeZone(zone) ? zone : 'UTC');

/** In whole seconds. Undefined for a time that is none. */
export function whenOf(time: EventTime | undefined): When | undefined {
  const at = time && instantOf(time, 'UTC');
  if (!time || at === null || at === undefined) return undefined;
  if (time.date !== undefined) return { at };
  return { at: Math.floor(at / 1000) * 1000, zone: knownZone(time.timeZone) };
}

/** The zone that is named with a time; a local time that names another instant is written in UTC instead. */
export function namedZone({ at, zone }: When): string | undefined {
  if (zone === undefined || zone.toUpperCase() === 'UTC') return undefined;
  const clock = clockOf(zone);
  return clock.toInstant(clock.toLocal(at)) === at ? zone : undefined;
}

/** As `yyyymmddThhmmss`. */
export const writtenTime = (moment: number): string =>
  new Date(Math.min(Math.max(moment, earliest), latest)).toISOString().slice(0, 19).replace(/[-:]/g, '');

function valueOf(when: When, zone: string | undefined): string {
  if (when.zone === undefined) return writtenTime(when.at).slice(0, 8);
  return zone === undefined ? `${writtenTime(when.at)}Z` : writtenTime(clockOf(zone).toLocal(when.at));
}

/** Writes times as lines, one for each zone. */
export function timesLines({ name, times }: TimesLine): string[] {
  const lines = grouped(times, (when) => `${when.zone === undefined} ${namedZone(when)}`);
  return [...lines.values()].map((whens) => {
    const [first] = whens;
    const zone = namedZone(first);
    const values = whens.map((when) => valueOf(when, zone)).join(',');
    return contentLine(name, values, { VALUE: first.zone === undefined ? 'DATE' : undefined, TZID: zone });
  });
}
