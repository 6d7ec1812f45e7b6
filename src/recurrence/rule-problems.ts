import type { TimeKind } from '../core/time/time.ts';
import { weekdayCodes } from './calendar-days.ts';
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
  const cutPiece = (text: string): string =>
    text.length > maxQuoteLength ? `${text.slice(0, maxQuoteLength)}…` : text;
  const quotedPieces = pieces.slice(0, maxQuotes).map((piece) => `"${cutPiece(piece)}"`);
  const omittedCount = pieces.length - quotedPieces.length;
  return quotedPieces.join(', ') + (omittedCount > 0 ? ` and ${omittedCount} more` : '');
}

/** Form of the values of a rule part. */
interface PartForm {
  readonly isList: boolean;
  readonly isValid: (value: string) => boolean;
  /** Description of valid values, after "must be". */
  readonly expected: string;
}

/** Form of whole numbers. `isSigned`: a sign is allowed, as in BYMONTHDAY=-1. */
function numberForm(min: number, max: number, { isSigned = false, isList = true } = {}): PartForm {
  const sign = isSigned ? '±' : '';
  return {
    isList,
    isValid(value) {
      const digits = isSigned ? value.replace(/^[+-]/, '') : value;
      return (
        /^\d+$/.test(digits) &&
        digits.length <= `${max}`.length &&
        Number(digits) >= min &&
        Number(digits) <= max
      );
    },
    expected: `a whole number from ${sign}${min} to ${sign}${max}`,
  };
}

const maxInteger = 2_147_483_647;
const frequencies = ['SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];
const numberedWeekdayPattern = /^(?:[+-]?(?:0?[1-9]|[1-4]\d|5[0-3]))?(?:MO|TU|WE|TH|FR|SA|SU)$/;

/** Forms of the parts of a rule, without UNTIL. */
const partForms: ReadonlyMap<string, PartForm> = new Map([
  [
    'FREQ',
    {
      isList: false,
      isValid: (value) => frequencies.includes(value),
      expected: `one of ${frequencies.join(', ')}`,
    },
  ],
  ['INTERVAL', numberForm(1, maxInteger, { isList: false })],
  ['COUNT', numberForm(1, maxInteger, { isList: false })],
  ['BYSECOND', numberForm(0, 60)],
  ['BYMINUTE', numberForm(0, 59)],
  ['BYHOUR', numberForm(0, 23)],
  ['BYMONTH', numberForm(1, 12)],
  ['BYMONTHDAY', numberForm(1, 31, { isSigned: true })],
  ['BYYEARDAY', numberForm(1, 366, { isSigned: true })],
  ['BYWEEKNO', numberForm(1, 53, { isSigned: true })],
  ['BYSETPOS', numberForm(1, 366, { isSigned: true })],
  [
    'BYDAY',
    {
      isList: true,
      isValid: (value) => numberedWeekdayPattern.test(value),
      expected: 'MO, TU, WE, TH, FR, SA or SU, each with at most a number from ±1 to ±53',
    },
  ],
  [
    'WKST',
    {
      isList: false,
      isValid: (value) => weekdayCodes.includes(value),
      expected: 'MO, TU, WE, TH, FR, SA or SU',
    },
  ],
]);

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
  return [...problems, ...findFrequencyProblems(parts), ...findAllDayProblems(parts, startKind)];
}

/** Splits a rule into its known parts. Malformed, unknown and repeated parts give one problem each. */
function readParts(value: string): { parts: RuleParts; problems: string[] } {
  const parts = new Map<string, string>();
  const [malformedParts, unknownNames, repeatedNames]: [string[], string[], string[]] = [[], [], []];
  for (const piece of value.split(';')) {
    const equalsIndex = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equalsIndex, 0));
    if (equalsIndex < 1) malformedParts.push(piece);
    else if (name !== 'UNTIL' && !partForms.has(name)) unknownNames.push(name);
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

function findPartProblems(name: string, text: string, startKind: TimeKind | null): string[] {
  const form = partForms.get(name);
  const values = form?.isList ? text.split(',') : [text];
  const invalidValues = form ? values.filter((value) => !form.isValid(value)) : values;
  const expected = form ? form.expected : expectedUntil(text, startKind);
  return invalidValues.length === 0 || expected === undefined
    ? []
    : [`${name}=${quotePieces(invalidValues)}: must be ${expected}`];
}

/**
 * Describes the UNTIL that is needed instead. Undefined if it matches the start: a DATE if all-day, else a time
 * in UTC, since the start has a zone.
 */
function expectedUntil(text: string, startKind: TimeKind | null): string | undefined {
  const form = valueFormOf(text);
  if (form === null) return 'a real day (20261231) or a real time in UTC (20261231T225959Z)';
  if (startKind === 'date' && form !== 'date') return 'a day such as 20261231, because start is all-day';
  if (form === 'local') return 'in UTC; convert it and end it with Z, such as 20261231T225959Z';
  if (startKind === 'dateTime' && form === 'date')
    return 'a time in UTC such as 20261231T225959Z, because start has a dateTime';
  return undefined;
}

/** Lists problems of parts that exclude or need each other, and of parts that the frequency does not allow. */
function findFrequencyProblems(parts: RuleParts): string[] {
  const problems: string[] = [];
  if (parts.has('COUNT') && parts.has('UNTIL')) problems.push('COUNT and UNTIL exclude each other: keep one');
  const byParts = [...parts.keys()].filter((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (parts.has('BYSETPOS') && byParts.length === 0)
    problems.push('BYSETPOS selects from the results of another BY part: add one, such as BYDAY');
  const frequency = parts.get('FREQ');
  if (frequency === undefined) problems.push(`FREQ is required, one of ${frequencies.join(', ')}`);
  if (frequency === undefined || !frequencies.includes(frequency)) return problems;
  for (const [name, allowedFrequencies] of frequenciesByPart) {
    if (!parts.has(name) || allowedFrequencies.includes(frequency)) continue;
    problems.push(
      `${name} is not allowed with FREQ=${frequency}, only with ${allowedFrequencies.join(', ')}`,
    );
  }
  if (!/\d/.test(parts.get('BYDAY') ?? '')) return problems;
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    problems.push(`BYDAY with a number is not allowed with FREQ=${frequency}, only with MONTHLY, YEARLY`);
  if (frequency === 'YEARLY' && parts.has('BYWEEKNO'))
    problems.push('BYDAY with a number is not allowed beside BYWEEKNO: leave the number out');
  return problems;
}

function findAllDayProblems(parts: RuleParts, startKind: TimeKind | null): string[] {
  if (startKind !== 'date') return [];
  const names = ['BYHOUR', 'BYMINUTE', 'BYSECOND'].filter((name) => parts.has(name));
  const problems = names.map((name) => `${name} is not allowed, because start is all-day`);
  const frequency = parts.get('FREQ') ?? '';
  if (['HOURLY', 'MINUTELY', 'SECONDLY'].includes(frequency))
    problems.push(`FREQ=${frequency} is not allowed, because start is all-day: use DAILY or a longer one`);
  return problems;
}
