import type { TimeKind } from '../core/time/time.ts';
import { valueFormOf, type ValueForm } from './lines.ts';
import type { RuleParts } from './rule.ts';

const DURATION_TIME_PATTERN = String.raw`\d{1,9}H(?:\d{1,9}M(?:\d{1,9}S)?)?|\d{1,9}M(?:\d{1,9}S)?|\d{1,9}S`;
const DURATION_PATTERN = new RegExp(
  String.raw`^\+?P(?:\d{1,9}W|\d{1,9}D(?:T(?:${DURATION_TIME_PATTERN}))?|T(?:${DURATION_TIME_PATTERN}))$`,
  'i',
);
const MAX_QUOTE_LENGTH = 40;
const MAX_QUOTES = 3;

/** Form of the times of a PERIOD (RFC 5545, section 3.3.9); null if invalid, or not longer than zero. */
export function periodFormOf(text: string): ValueForm | null {
  const [start, end, ...rest] = text.split('/', 3);
  if (start === undefined || end === undefined || rest.length > 0) return null;
  const form = valueFormOf(start);
  if (form === null || form === 'date') return null;
  if (DURATION_PATTERN.test(end)) return /[1-9]/.test(end) ? form : null;
  // Texts of the same form sort like their times.
  return valueFormOf(end) === form && end.toUpperCase() > start.toUpperCase() ? form : null;
}

/** Quotes the first invalid pieces of a line for a message, cut to a readable length. */
export function quote(pieces: readonly string[]): string {
  const quotedPieces = pieces.slice(0, MAX_QUOTES).map((piece) => `"${cut(piece)}"`);
  const omittedCount = pieces.length - quotedPieces.length;
  return quotedPieces.join(', ') + (omittedCount > 0 ? ` and ${omittedCount} more` : '');
}

const cut = (text: string): string =>
  text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;

interface NumberPart {
  readonly isSigned: boolean;
  readonly isList: boolean;
  readonly maxDigits: number;
  readonly min: number;
  readonly max: number;
}

/** Largest 32-bit integer. */
const MAX_INTEGER = 2_147_483_647;

const singleNumber = { isSigned: false, isList: false, maxDigits: 10, min: 1, max: MAX_INTEGER };
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

const NUMBER_PARTS: ReadonlyMap<string, NumberPart> = new Map([
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

const FREQUENCIES = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const WEEKDAY_PATTERN = /^(?:MO|TU|WE|TH|FR|SA|SU)$/;
const NUMBERED_WEEKDAY_PATTERN = /^([+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)$/;

/** Frequencies with which a part is allowed (RFC 5545, section 3.3.10, table of expansions and limits). */
const PART_FREQUENCIES: ReadonlyMap<string, readonly string[]> = new Map([
  ['BYWEEKNO', ['YEARLY']],
  ['BYYEARDAY', ['SECONDLY', 'MINUTELY', 'HOURLY', 'YEARLY']],
  ['BYMONTHDAY', FREQUENCIES.filter((frequency) => frequency !== 'WEEKLY')],
]);

/**
 * Lists the problems of an RRULE or EXRULE value (RFC 5545, section 3.3.10). `startKind`: kind of the event's
 * start, if known.
 */
export function ruleProblems(value: string, startKind: TimeKind | null): string[] {
  const { parts, problems } = readParts(value.toUpperCase());
  for (const [name, text] of parts) problems.push(...partProblems(name, text, startKind));
  return [
    ...problems,
    ...pairProblems(parts),
    ...frequencyProblems(parts),
    ...allDayProblems(parts, startKind),
  ];
}

/** Splits a rule into its known parts. Malformed, unknown and repeated parts give one problem each. */
function readParts(value: string): { parts: RuleParts; problems: string[] } {
  const parts = new Map<string, string>();
  const [malformedParts, unknownNames, repeatedNames]: [string[], string[], string[]] = [[], [], []];
  for (const piece of value.split(';')) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0));
    if (equals < 1) malformedParts.push(piece);
    else if (!isPart(name)) unknownNames.push(name);
    else if (parts.has(name)) repeatedNames.push(name);
    else parts.set(name, piece.slice(equals + 1));
  }
  const problems: string[] = [];
  if (malformedParts.length > 0)
    problems.push(`${quote(malformedParts)}: every part must be NAME=VALUE, separated by single ";"`);
  if (unknownNames.length > 0) problems.push(`${quote(unknownNames)}: not a rule part of RFC 5545`);
  if (repeatedNames.length > 0) problems.push(`${quote(repeatedNames)}: a rule part may be given only once`);
  return { parts, problems };
}

const isPart = (name: string): boolean =>
  NUMBER_PARTS.has(name) || name === 'FREQ' || name === 'UNTIL' || name === 'BYDAY' || name === 'WKST';

function partProblems(name: string, text: string, startKind: TimeKind | null): string[] {
  const numbers = NUMBER_PARTS.get(name);
  if (numbers) return numberProblems(name, text, numbers);
  if (name === 'UNTIL') return untilProblems(text, startKind);
  if (name === 'FREQ') {
    return FREQUENCIES.includes(text)
      ? []
      : [`FREQ=${quote([text])}: must be one of ${FREQUENCIES.join(', ')}`];
  }
  if (name === 'WKST')
    return WEEKDAY_PATTERN.test(text) ? [] : [`WKST=${quote([text])}: must be MO, TU, WE, TH, FR, SA or SU`];
  const invalidDays = text.split(',').filter((day) => !isNumberedWeekday(day));
  if (invalidDays.length === 0) return [];
  return [
    `BYDAY=${quote(invalidDays)}: must be MO, TU, WE, TH, FR, SA or SU, each with at most a number from ±1 to ±53`,
  ];
}

function isNumberedWeekday(text: string): boolean {
  const match = NUMBERED_WEEKDAY_PATTERN.exec(text);
  if (!match) return false;
  const ordinal = Math.abs(Number(match[1] ?? 1));
  return ordinal >= 1 && ordinal <= 53;
}

function numberProblems(name: string, text: string, part: NumberPart): string[] {
  const invalidNumbers = (part.isList ? text.split(',') : [text]).filter((number) => !isNumber(number, part));
  if (invalidNumbers.length === 0) return [];
  const sign = part.isSigned ? '±' : '';
  return [
    `${name}=${quote(invalidNumbers)}: must be a whole number from ${sign}${part.min} to ${sign}${part.max}`,
  ];
}

function isNumber(text: string, { isSigned, maxDigits, min, max }: NumberPart): boolean {
  const digits = isSigned && /^[+-]/.test(text) ? text.slice(1) : text;
  const number = Number(digits);
  return /^\d+$/.test(digits) && digits.length <= maxDigits && number >= min && number <= max;
}

/** Checks that UNTIL matches the start: a DATE if all-day, else a time in UTC, since the start has a zone. */
function untilProblems(text: string, startKind: TimeKind | null): string[] {
  const form = valueFormOf(text);
  const quotedUntil = `UNTIL=${quote([text])}`;
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

function pairProblems(parts: RuleParts): string[] {
  const problems: string[] = [];
  if (parts.has('COUNT') && parts.has('UNTIL')) problems.push('COUNT and UNTIL exclude each other: keep one');
  const byParts = [...parts.keys()].filter((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (parts.has('BYSETPOS') && byParts.length === 0) {
    problems.push('BYSETPOS selects from the results of another BY part: add one, such as BYDAY');
  }
  return problems;
}

function frequencyProblems(parts: RuleParts): string[] {
  const frequency = parts.get('FREQ');
  if (frequency === undefined) return [`FREQ is required, one of ${FREQUENCIES.join(', ')}`];
  if (!FREQUENCIES.includes(frequency)) return [];
  const problems: string[] = [];
  for (const [name, allowedFrequencies] of PART_FREQUENCIES) {
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

function allDayProblems(parts: RuleParts, startKind: TimeKind | null): string[] {
  if (startKind !== 'date') return [];
  const names = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].filter((name) => parts.has(name));
  const problems = names.map((name) => `${name} is not allowed, because start is all-day`);
  const frequency = parts.get('FREQ') ?? '';
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency)) {
    problems.push(`FREQ=${frequency} is not allowed, because start is all-day: use DAILY or a longer one`);
  }
  return problems;
}
