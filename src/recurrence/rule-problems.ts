import type { TimeKind } from '../core/time/time.ts';
import { valueFormOf, type ValueForm, type RuleParts } from './rule.ts';

/** Syntax of the hours, minutes and seconds of a duration (RFC 5545, section 3.3.6). */
const durationTimePattern = String.raw`\d{1,9}H(?:\d{1,9}M(?:\d{1,9}S)?)?|\d{1,9}M(?:\d{1,9}S)?|\d{1,9}S`;
const durationPattern = new RegExp(
  String.raw`^\+?P(?:\d{1,9}W|\d{1,9}D(?:T(?:${durationTimePattern}))?|T(?:${durationTimePattern}))$`,
  'i',
);
/** Limits of quotes in messages: characters of each, and their number. */
const maxQuoteLength = 40;
const maxQuotes = 3;

/** Returns the form of the times of a PERIOD (RFC 5545, section 3.3.9); null if it is invalid or not longer than zero. */
export function periodFormOf(text: string): ValueForm | null {
  const [start, end, ...furtherPieces] = text.split('/', 3);
  if (start === undefined || end === undefined || furtherPieces.length > 0) return null;
  const form = valueFormOf(start);
  if (form === null || form === 'date') return null;
  if (durationPattern.test(end)) return /[1-9]/.test(end) ? form : null;
  // Texts of the same form sort like their times.
  return valueFormOf(end) === form && end.toUpperCase() > start.toUpperCase() ? form : null;
}

/** Quotes the first invalid pieces of a line for a message, cut to a readable length. */
export function quotePieces(pieces: readonly string[]): string {
  const quotedPieces = pieces.slice(0, maxQuotes).map((piece) => `"${cutPiece(piece)}"`);
  const omittedCount = pieces.length - quotedPieces.length;
  return quotedPieces.join(', ') + (omittedCount > 0 ? ` and ${omittedCount} more` : '');
}

const cutPiece = (text: string): string =>
  text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;

/** Numbers that a rule part may have. `isSigned`: a sign is allowed, as in BYMONTHDAY=-1. */
interface NumberPart {
  readonly isSigned: boolean;
  readonly isList: boolean;
  readonly maxDigits: number;
  readonly min: number;
  readonly max: number;
}

const maxInteger = 2_147_483_647;

const singleNumber = { isSigned: false, isList: false, maxDigits: 10, min: 1, max: maxInteger };
const numberList = (min: number, max: number): NumberPart => ({
  ...singleNumber,
  isList: true,
  maxDigits: 2,
  min,
  max,
});
const signedNumberList = (maxDigits: number, max: number): NumberPart => ({
  ...numberList(1, max),
  isSigned: true,
  maxDigits,
});

const numberParts: ReadonlyMap<string, NumberPart> = new Map([
  ['INTERVAL', singleNumber],
  ['COUNT', singleNumber],
  ['BYSECOND', numberList(0, 60)],
  ['BYMINUTE', numberList(0, 59)],
  ['BYHOUR', numberList(0, 23)],
  ['BYMONTH', numberList(1, 12)],
  ['BYMONTHDAY', signedNumberList(2, 31)],
  ['BYYEARDAY', signedNumberList(3, 366)],
  ['BYWEEKNO', signedNumberList(2, 53)],
  ['BYSETPOS', signedNumberList(3, 366)],
]);

const frequencies = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const weekdayPattern = /^(?:MO|TU|WE|TH|FR|SA|SU)$/;
const numberedWeekdayPattern = /^([+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)$/;

/** Frequencies with which a part is allowed (RFC 5545, section 3.3.10, table of expansions and limits). */
const frequenciesByPart: ReadonlyMap<string, readonly string[]> = new Map([
  ['BYWEEKNO', ['YEARLY']],
  ['BYYEARDAY', ['SECONDLY', 'MINUTELY', 'HOURLY', 'YEARLY']],
  ['BYMONTHDAY', frequencies.filter((frequency) => frequency !== 'WEEKLY')],
]);

/**
 * Lists the problems of an RRULE or EXRULE value (RFC 5545, section 3.3.10). `startKind`: kind of the event's
 * start, if known.
 */
export function findRuleProblems(value: string, startKind: TimeKind | null): string[] {
  const { parts, problems } = readParts(value.toUpperCase());
  for (const [name, text] of parts) problems.push(...findPartProblems(name, text, startKind));
  return [
    ...problems,
    ...findPairProblems(parts),
    ...findFrequencyProblems(parts),
    ...findAllDayProblems(parts, startKind),
  ];
}

/** Splits a rule into its known parts. Malformed, unknown and repeated parts give one problem each. */
function readParts(value: string): { parts: RuleParts; problems: string[] } {
  const parts = new Map<string, string>();
  const [malformedParts, unknownNames, repeatedNames]: [string[], string[], string[]] = [[], [], []];
  for (const piece of value.split(';')) {
    const equalsIndex = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equalsIndex, 0));
    if (equalsIndex < 1) malformedParts.push(piece);
    else if (!isKnownPart(name)) unknownNames.push(name);
    else if (parts.has(name)) repeatedNames.push(name);
    else parts.set(name, piece.slice(equalsIndex + 1));
  }
  const problems: string[] = [];
  if (malformedParts.length > 0)
    problems.push(`${quotePieces(malformedParts)}: every part must be NAME=VALUE, separated by single ";"`);
  if (unknownNames.length > 0) problems.push(`${quotePieces(unknownNames)}: not a rule part of RFC 5545`);
  if (repeatedNames.length > 0)
    problems.push(`${quotePieces(repeatedNames)}: a rule part may be given only once`);
  return { parts, problems };
}

const isKnownPart = (name: string): boolean =>
  numberParts.has(name) || name === 'FREQ' || name === 'UNTIL' || name === 'BYDAY' || name === 'WKST';

function findPartProblems(name: string, text: string, startKind: TimeKind | null): string[] {
  const numbers = numberParts.get(name);
  if (numbers) return findNumberProblems(name, text, numbers);
  if (name === 'UNTIL') return findUntilProblems(text, startKind);
  if (name === 'FREQ') {
    return frequencies.includes(text)
      ? []
      : [`FREQ=${quotePieces([text])}: must be one of ${frequencies.join(', ')}`];
  }
  if (name === 'WKST')
    return weekdayPattern.test(text)
      ? []
      : [`WKST=${quotePieces([text])}: must be MO, TU, WE, TH, FR, SA or SU`];
  const invalidDays = text.split(',').filter((day) => !isNumberedWeekday(day));
  if (invalidDays.length === 0) return [];
  return [
    `BYDAY=${quotePieces(invalidDays)}: must be MO, TU, WE, TH, FR, SA or SU, each with at most a number from ±1 to ±53`,
  ];
}

function isNumberedWeekday(text: string): boolean {
  const match = numberedWeekdayPattern.exec(text);
  if (!match) return false;
  const ordinal = Math.abs(Number(match[1] ?? 1));
  return ordinal >= 1 && ordinal <= 53;
}

function findNumberProblems(name: string, text: string, part: NumberPart): string[] {
  const invalidNumbers = (part.isList ? text.split(',') : [text]).filter((number) => !isNumber(number, part));
  if (invalidNumbers.length === 0) return [];
  const sign = part.isSigned ? '±' : '';
  return [
    `${name}=${quotePieces(invalidNumbers)}: must be a whole number from ${sign}${part.min} to ${sign}${part.max}`,
  ];
}

function isNumber(text: string, { isSigned, maxDigits, min, max }: NumberPart): boolean {
  const digits = isSigned && /^[+-]/.test(text) ? text.slice(1) : text;
  const number = Number(digits);
  return /^\d+$/.test(digits) && digits.length <= maxDigits && number >= min && number <= max;
}

/** Checks that UNTIL matches the start: a DATE if all-day, else a time in UTC, since the start has a zone. */
function findUntilProblems(text: string, startKind: TimeKind | null): string[] {
  const form = valueFormOf(text);
  const quotedUntil = `UNTIL=${quotePieces([text])}`;
  if (form === null)
    return [`${quotedUntil}: must be a real day (20261231) or a real time in UTC (20261231T225959Z)`];
  if (startKind === 'date' && form !== 'date') {
    return [`${quotedUntil}: must be a day such as 20261231, because start is all-day`];
  }
  if (form === 'local')
    return [`${quotedUntil}: must be in UTC; convert it and end it with Z, such as 20261231T225959Z`];
  if (startKind === 'dateTime' && form === 'date') {
    return [`${quotedUntil}: must be a time in UTC such as 20261231T225959Z, because start has a dateTime`];
  }
  return [];
}

/** Lists problems of parts that exclude or need each other. */
function findPairProblems(parts: RuleParts): string[] {
  const problems: string[] = [];
  if (parts.has('COUNT') && parts.has('UNTIL')) problems.push('COUNT and UNTIL exclude each other: keep one');
  const byParts = [...parts.keys()].filter((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (parts.has('BYSETPOS') && byParts.length === 0) {
    problems.push('BYSETPOS selects from the results of another BY part: add one, such as BYDAY');
  }
  return problems;
}

/** Lists problems of a missing frequency, and of parts that the frequency does not allow. */
function findFrequencyProblems(parts: RuleParts): string[] {
  const frequency = parts.get('FREQ');
  if (frequency === undefined) return [`FREQ is required, one of ${frequencies.join(', ')}`];
  if (!frequencies.includes(frequency)) return [];
  const problems: string[] = [];
  for (const [name, allowedFrequencies] of frequenciesByPart) {
    if (!parts.has(name) || allowedFrequencies.includes(frequency)) continue;
    problems.push(
      `${name} is not allowed with FREQ=${frequency}, only with ${allowedFrequencies.join(', ')}`,
    );
  }
  if (!/\d/.test(parts.get('BYDAY') ?? '')) return problems;
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') {
    problems.push(`BYDAY with a number is not allowed with FREQ=${frequency}, only with MONTHLY, YEARLY`);
  }
  if (frequency === 'YEARLY' && parts.has('BYWEEKNO')) {
    problems.push('BYDAY with a number is not allowed beside BYWEEKNO: leave the number out');
  }
  return problems;
}

function findAllDayProblems(parts: RuleParts, startKind: TimeKind | null): string[] {
  if (startKind !== 'date') return [];
  const names = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].filter((name) => parts.has(name));
  const problems = names.map((name) => `${name} is not allowed, because start is all-day`);
  const frequency = parts.get('FREQ') ?? '';
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency)) {
    problems.push(`FREQ=${frequency} is not allowed, because start is all-day: use DAILY or a longer one`);
  }
  return problems;
}
