import { groupByKey } from '../core/patch.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, instantOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';

const lineBreak = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const control = /[^\P{Cc}\t\n]/gu;
const loneSurrogate = /\p{Surrogate}/gu;

/** Cleans user text: line breaks become `\n`, control characters except tabs are removed, lone surrogates replaced. */
export const cleanText = (text: string): string =>
  text.replace(lineBreak, '\n').replace(control, '').replace(loneSurrogate, '\ufffd');

/** Cleans user text and joins its lines. */
export const toSingleLine = (text: string): string =>
  cleanText(text)
    .replace(/[\n\t]+/g, ' ')
    .trim();

/** Removes characters that no address in a header can hold. */
export const headerAddress = (address: string): string => cleanText(address).replace(/[\n\t]/g, '');

/** Parameters of a content line (RFC 5545, section 3.1). */
export type Parameters = Readonly<Record<string, string | undefined>>;

const maxLineOctets = 75;
const textEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', ';': '\\;', ',': '\\,', '\n': '\\n' };
const parameterEscapes: Readonly<Record<string, string>> = { '^': '^^', '"': "^'", '\n': '^n' };

export const escapeText = (text: string): string =>
  cleanText(text).replace(/[\\;,\n]/g, (character) => textEscapes[character] as string);

/** Encodes a parameter value by RFC 6868. */
function parameterValue(text: string): string {
  const value = cleanText(text).replace(/[\^"\n]/g, (character) => parameterEscapes[character] as string);
  return /[:;,]/.test(value) ? `"${value}"` : value;
}

/** Writes an unfolded line; `value` is already escaped, parameters are not. */
export function contentLine(name: string, value: string, parameters: Parameters = {}): string {
  const written = Object.entries(parameters).map(([key, text]) =>
    text === undefined ? '' : `;${key}=${parameterValue(text)}`,
  );
  return `${name}${written.join('')}:${value}`;
}

export const textLine = (name: string, text: string): string => contentLine(name, escapeText(text));

/** Writes an address as a URI (RFC 6068). */
export function mailtoUri(address: string): string {
  const [local = '', domain = ''] = cleanText(address)
    .split(/@(?=[^@]*$)/)
    .map((part) => encodeURIComponent(part).replace(/%(?:2B|24)/g, decodeURIComponent));
  return `mailto:${local}@${domain}`;
}

export const component = (name: string, lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

export const foldLines = (lines: readonly string[]): string =>
  lines.map((line) => `${foldLine(line)}\r\n`).join('');

/** Folds a line by octets, never inside a character. */
function foldLine(line: string): string {
  if (line.length * 3 <= maxLineOctets) return line;
  const pieces: string[] = [];
  let [from, octets] = [0, 0];
  for (let index = 0; index < line.length;) {
    const codePoint = line.codePointAt(index) as number;
    const size = utf8Length(codePoint);
    if (octets + size > maxLineOctets) {
      pieces.push(line.slice(from, index));
      [from, octets] = [index, 1];
    }
    octets += size;
    index += codePoint < 0x10000 ? 1 : 2;
  }
  return [...pieces, line.slice(from)].join('\r\n ');
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** A DATE (midnight UTC) or a DATE-TIME in a zone. */
export interface CalendarTime {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Absent for a DATE. */
  readonly zone?: string;
}

export interface TimeProperty {
  readonly name: string;
  readonly times: readonly CalendarTime[];
}

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59Z');

/** Returns a supported zone; unknown ones become UTC. */
export const supportedZone = (zone = ''): string => (isTimeZone(zone) ? zone : 'UTC');

/** Converts a time, in whole seconds; undefined for an invalid one. */
export function calendarTimeOf(time: EventTime | undefined): CalendarTime | undefined {
  const at = time && instantOf(time, 'UTC');
  if (!time || at === null || at === undefined) return undefined;
  if (time.date !== undefined) return { at };
  return { at: Math.floor(at / 1000) * 1000, zone: supportedZone(time.timeZone) };
}

/** TZID of a time; undefined for UTC, and for the second of two equal local times, which only UTC can express. */
export function tzidOf({ at, zone }: CalendarTime): string | undefined {
  if (zone === undefined || zone.toUpperCase() === 'UTC') return undefined;
  const clock = clockOf(zone);
  return clock.toInstant(clock.toLocal(at)) === at ? zone : undefined;
}

/** Formats epoch milliseconds as `yyyymmddThhmmss`. */
export const formatCompact = (time: number): string =>
  new Date(Math.min(Math.max(time, earliest), latest)).toISOString().slice(0, 19).replace(/[-:]/g, '');

function formatValue(when: CalendarTime, zone: string | undefined): string {
  if (when.zone === undefined) return formatCompact(when.at).slice(0, 8);
  return zone === undefined ? `${formatCompact(when.at)}Z` : formatCompact(clockOf(zone).toLocal(when.at));
}

/** Writes times as content lines, one for each zone. */
export function timePropertyLines({ name, times }: TimeProperty): string[] {
  const lines = groupByKey(times, (when) => `${when.zone === undefined} ${tzidOf(when)}`);
  return [...lines.values()].map((values) => {
    const [first] = values;
    const zone = tzidOf(first);
    const value = values.map((when) => formatValue(when, zone)).join(',');
    return contentLine(name, value, { VALUE: first.zone === undefined ? 'DATE' : undefined, TZID: zone });
  });
}
