import { groupByKey } from '../core/json.ts';
import { isTimeZone } from '../core/time/time-zone.ts';
import { type EventTime, instantOf } from '../core/time/time.ts';
import { clockOf } from '../core/time/zone-clock.ts';
import { formatCompact } from '../recurrence/rule.ts';

const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const controlCharacters = /[^\P{Cc}\t\n]/gu;
const loneSurrogates = /\p{Surrogate}/gu;

/** Cleans user text: line breaks become `\n`, control characters except tabs are removed, lone surrogates replaced. */
export const cleanText = (text: string): string =>
  text.replace(lineBreaks, '\n').replace(controlCharacters, '').replace(loneSurrogates, '\ufffd');

/** Cleans user text and joins its lines. */
export const toSingleLine = (text: string): string =>
  cleanText(text)
    .replace(/[\n\t]+/g, ' ')
    .trim();

/** Removes characters that an address in a header cannot hold. */
export const toHeaderAddress = (address: string): string => cleanText(address).replace(/[\n\t]/g, '');

/** Parameters of a content line (RFC 5545, section 3.1). */
export type LineParameters = Readonly<Record<string, string | undefined>>;

/** Limit of a folded line without its line break (RFC 5545, section 3.1). */
const maxLineOctets = 75;
const textEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', ';': '\\;', ',': '\\,', '\n': '\\n' };
const parameterEscapes: Readonly<Record<string, string>> = { '^': '^^', '"': "^'", '\n': '^n' };

/** Escapes user text for a value of type TEXT (RFC 5545, section 3.3.11). */
export const escapeText = (text: string): string =>
  cleanText(text).replace(/[\\;,\n]/g, (character) => textEscapes[character] as string);

/** Encodes a parameter value by RFC 6868. */
function encodeParameter(text: string): string {
  const value = cleanText(text).replace(/[\^"\n]/g, (character) => parameterEscapes[character] as string);
  return /[:;,]/.test(value) ? `"${value}"` : value;
}

/** Writes an unfolded line; `value` is already escaped, parameters are not. */
export function formatContentLine(name: string, value: string, parameters: LineParameters = {}): string {
  const encodedParameters = Object.entries(parameters).map(([key, text]) =>
    text === undefined ? '' : `;${key}=${encodeParameter(text)}`,
  );
  return `${name}${encodedParameters.join('')}:${value}`;
}

/** Writes an unfolded line whose value is user text. */
export const formatTextLine = (name: string, text: string): string =>
  formatContentLine(name, escapeText(text));

/** Writes an address as a URI (RFC 6068). */
export function toMailtoUri(address: string): string {
  const [localPart = '', domain = ''] = cleanText(address)
    .split(/@(?=[^@]*$)/)
    .map((part) => encodeURIComponent(part).replace(/%(?:2B|24)/g, decodeURIComponent));
  return `mailto:${localPart}@${domain}`;
}

/** Wraps lines in the BEGIN and END of a component. */
export const wrapComponent = (name: string, lines: readonly string[]): string[] => [
  `BEGIN:${name}`,
  ...lines,
  `END:${name}`,
];

/** Joins lines, each folded and ended by CRLF. */
export const foldLines = (lines: readonly string[]): string =>
  lines.map((line) => `${foldLine(line)}\r\n`).join('');

/** Folds a line by octets, never inside a character. */
function foldLine(line: string): string {
  // A UTF-16 unit takes at most three octets.
  if (line.length * 3 <= maxLineOctets) return line;
  const pieces: string[] = [];
  let [pieceStart, pieceOctets] = [0, 0];
  for (let index = 0; index < line.length;) {
    const codePoint = line.codePointAt(index) as number;
    const codePointOctets = utf8Length(codePoint);
    if (pieceOctets + codePointOctets > maxLineOctets) {
      pieces.push(line.slice(pieceStart, index));
      // A continuation line begins with a space.
      [pieceStart, pieceOctets] = [index, 1];
    }
    pieceOctets += codePointOctets;
    index += codePoint < 0x10000 ? 1 : 2;
  }
  return [...pieces, line.slice(pieceStart)].join('\r\n ');
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
  /** IANA zone; absent for a DATE. */
  readonly zone?: string;
}

/** Property with times, such as DTSTART. It becomes lines last, since all times of a text determine its VTIMEZONEs. */
export interface TimeProperty {
  readonly name: string;
  readonly times: readonly CalendarTime[];
}

/** Returns a supported zone; unknown ones become UTC. */
export const toSupportedZone = (zone = ''): string => (isTimeZone(zone) ? zone : 'UTC');

/** Converts a time, in whole seconds; undefined for an invalid one. */
export function toCalendarTime(time: EventTime | undefined): CalendarTime | undefined {
  const at = time && instantOf(time, 'UTC');
  if (!time || at === null || at === undefined) return undefined;
  if (time.date !== undefined) return { at };
  return { at: Math.floor(at / 1000) * 1000, zone: toSupportedZone(time.timeZone) };
}

/** Returns the TZID of a time; undefined for UTC, and for the second of two equal local times, which only UTC can express. */
export function tzidOf({ at, zone }: CalendarTime): string | undefined {
  if (zone === undefined || zone.toUpperCase() === 'UTC') return undefined;
  const clock = clockOf(zone);
  return clock.toInstant(clock.toLocalTime(at)) === at ? zone : undefined;
}

/** Formats a DATE, a UTC time, or the local time of `zone`. */
function formatTimeValue(time: CalendarTime, zone: string | undefined): string {
  if (time.zone === undefined) return formatCompact(time.at).slice(0, 8);
  return zone === undefined
    ? `${formatCompact(time.at)}Z`
    : formatCompact(clockOf(zone).toLocalTime(time.at));
}

/** Writes times as content lines: one for each TZID, and for all times in UTC. */
export function formatTimeProperty({ name, times }: TimeProperty): string[] {
  const timesByLine = groupByKey(times, (time) => `${time.zone === undefined} ${tzidOf(time)}`);
  return [...timesByLine.values()].map((zoneTimes) => {
    const [firstTime] = zoneTimes;
    const zone = tzidOf(firstTime);
    const value = zoneTimes.map((time) => formatTimeValue(time, zone)).join(',');
    return formatContentLine(name, value, {
      VALUE: firstTime.zone === undefined ? 'DATE' : undefined,
      TZID: zone,
    });
  });
}
