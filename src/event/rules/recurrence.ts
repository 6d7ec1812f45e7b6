import { valueFormOf, recurrenceLinePattern, type ValueForm } from '../../recurrence/rule.ts';
import { periodFormOf, quotePieces, findRuleProblems } from '../../recurrence/rule-problems.ts';
import { isTimeZone } from '../../core/time/time-zone.ts';
import { kindOf, type TimeKind } from '../../core/time/time.ts';
import type { EventRule } from './rule.ts';

const allowedNames = 'RRULE, EXRULE, RDATE and EXDATE';
// Printable ASCII. Upper-casing it never produces other letters, so names can be compared in upper case;
// values of TZID are ASCII too.
const printableAsciiPattern = /^[\x20-\x7e]*$/;

/** Rule of recurrence lines (RFC 5545, 3.3.10, 3.8.5.1 to 3.8.5.3; EXRULE: RFC 2445), which must fit the kind of `start`. */
export const recurrenceLinesRule: EventRule = {
  title:
    'recurrence holds RRULE, EXRULE, RDATE and EXDATE lines as in RFC 5545 that fit the kind of start, with ' +
    'something to repeat; an instance has none.',
  triggers: ['recurrence', 'start'],
  check(event, before, { reportIssue, sentIndexOf, isRefused }) {
    const lines = event.recurrence ?? [];
    const kind = kindOf(event.start);
    const hasSameKind = kind === kindOf(before.start);
    if (lines.length === 0 || (event.recurrence === before.recurrence && hasSameKind)) return;
    if (event.recurringEventId !== undefined) {
      const message = 'An instance of a recurring event cannot recur itself: change the series.';
      return reportIssue(['recurrence'], 'invalid', message);
    }
    if (isRefused(['recurrence'])) return;
    const storedLines = new Set(hasSameKind ? before.recurrence : []);
    let isValid = true;
    for (const [index, line] of lines.entries()) {
      const path = ['recurrence', sentIndexOf('recurrence', index)];
      if (storedLines.has(line) || typeof line !== 'string' || isRefused(path)) continue;
      for (const problem of findLineProblems(line, kind)) {
        reportIssue(path, 'invalid', asSentence(problem));
        isValid = false;
      }
    }
    if (!isValid || lines.some((line) => /^R/i.test(line))) return;
    const message =
      'The recurrence only excludes dates: add an RRULE or RDATE line with occurrences to exclude from.';
    reportIssue(['recurrence'], 'required', message);
  },
};

const asSentence = (problem: string): string => `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;

function findLineProblems(line: string, startKind: TimeKind | null): string[] {
  if (!printableAsciiPattern.test(line))
    return ['a line must be one unfolded property in printable ASCII, without line breaks'];
  const match = recurrenceLinePattern.exec(line);
  if (!match) return [describeNameProblem(line)];
  const name = (match[1] as string).toUpperCase();
  const [parameters, value] = [match[2]?.split(';') ?? [], match[3] as string];
  if (name === 'RDATE' || name === 'EXDATE') return findDateProblems(name, parameters, value, startKind);
  const problems = findRuleProblems(value, startKind).map((problem) => `${name}: ${problem}`);
  return parameters.length === 0
    ? problems
    : [`${name} takes no parameters: ${quotePieces(parameters)}`, ...problems];
}

function describeNameProblem(line: string): string {
  const name = line.replace(/[:;].*$/, '').toUpperCase();
  if (name === 'DTSTART' || name === 'DTEND') {
    const field = name === 'DTSTART' ? 'start' : 'end';
    return `${name} is not allowed here, the event's own ${field} is used; allowed are ${allowedNames}`;
  }
  return `${quotePieces([line])}: a line must be NAME:VALUE, and allowed names are ${allowedNames}`;
}

/** Problems of RDATE and EXDATE. A local time without TZID is in the zone of `start`, in which the series is expanded. */
function findDateProblems(
  name: string,
  parameters: readonly string[],
  value: string,
  startKind: TimeKind | null,
): string[] {
  const { type, zone, problems } = readParameters(name, parameters);
  const typeMismatch = describeTypeMismatch(name, type, startKind);
  if (typeMismatch !== null) problems.push(typeMismatch);
  const invalidItems: string[] = [];
  const utcItems: string[] = [];
  for (const item of value.split(',')) {
    const form = type === 'PERIOD' ? periodFormOf(item) : valueFormOf(item);
    if (form === null || (typeMismatch === null && !hasFormOfType(form, type))) invalidItems.push(item);
    else if (form === 'utc') utcItems.push(item);
  }
  if (invalidItems.length > 0)
    problems.push(
      `${name}: ${quotePieces(invalidItems)}: must be ${examplesByType.get(type) ?? 'a real date or time'}`,
    );
  if (zone !== null && utcItems.length > 0)
    problems.push(`${name}: ${quotePieces(utcItems)}: a time in UTC must not have a TZID`);
  return problems;
}

const examplesByType: ReadonlyMap<string, string> = new Map([
  ['DATE', 'a real day such as 20261231'],
  ['DATE-TIME', 'a real time such as 20261231T100000 or, in UTC, 20261231T090000Z; a day needs VALUE=DATE'],
  ['PERIOD', 'a time, "/" and a later time or a duration, such as 20261231T090000Z/PT1H'],
]);

/** Whether a value has the form of its type. An unknown type was reported already and fits any value. */
const hasFormOfType = (form: ValueForm, type: string): boolean =>
  !examplesByType.has(type) || (type === 'DATE') === (form === 'date');

function describeTypeMismatch(name: string, type: string, startKind: TimeKind | null): string | null {
  // EXDATE values of the other kind are converted.
  if (name === 'EXDATE' || startKind === null || !examplesByType.has(type)) return null;
  if ((type === 'DATE') === (startKind === 'date')) return null;
  return startKind === 'date'
    ? `${name} must hold days, because start is all-day: write ${name};VALUE=DATE:20261231`
    : `${name} must hold times, because start has a dateTime: leave VALUE=DATE out and write 20261231T090000Z`;
}

/** Reads the parameters of an RDATE or EXDATE line, with their problems: `type` from VALUE, `zone` from TZID. */
function readParameters(name: string, parameters: readonly string[]) {
  const valuesByName = new Map<string, string>();
  const [unknownParameters, repeatedParameters]: [string[], string[]] = [[], []];
  for (const parameter of parameters) {
    const [, key = '', value = ''] = /^(VALUE|TZID)=(.*)$/i.exec(parameter) ?? [];
    if (key === '') unknownParameters.push(parameter);
    else if (valuesByName.has(key.toUpperCase())) repeatedParameters.push(key);
    else valuesByName.set(key.toUpperCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  const type = (valuesByName.get('VALUE') ?? 'DATE-TIME').toUpperCase();
  const zone = valuesByName.get('TZID') ?? null;
  const problems: string[] = [];
  if (unknownParameters.length > 0)
    problems.push(`${name}: ${quotePieces(unknownParameters)}: only VALUE and TZID are allowed here`);
  if (repeatedParameters.length > 0)
    problems.push(`${name}: ${quotePieces(repeatedParameters)}: a parameter may be given only once`);
  if (!examplesByType.has(type) || (name === 'EXDATE' && type === 'PERIOD')) {
    const types = name === 'EXDATE' ? 'DATE or DATE-TIME' : 'DATE, DATE-TIME or PERIOD';
    problems.push(`${name}: VALUE=${quotePieces([type])}: must be ${types}`);
  }
  if (zone !== null && !isTimeZone(zone))
    problems.push(`${name}: TZID=${quotePieces([zone])}: must be a name of the IANA Time Zone Database`);
  if (zone !== null && type === 'DATE') problems.push(`${name}: a day has no TZID: leave it out`);
  return { type, zone, problems };
}
